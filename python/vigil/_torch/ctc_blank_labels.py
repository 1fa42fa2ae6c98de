"""Whether the labels of ctc_loss name its blank, which stands for no label at all.

What comes after a sequence's own length may be anything. Who pads with the blank
and gives the padded length asks for blanks at the end, which changes little; who
puts a blank between all labels, or between two that are the same, asks for what
the loss does anyway.
"""

import torch

from vigil import _guard
from vigil._torch import device, graph, summary

MOST = 1 << 10  # sequences of one call


class BlankLabels(object):
    """What the labels of one training's ctc_loss hold, over the calls that are looked at."""

    def __init__(self):
        self.index = None
        self.labels = self.named = self.pairs = 0
        self.kept = summary.Kept(self._rows)

    @_guard.guard
    def take(self, node):
        """backward begins at ``node``."""
        name, node = graph.find(node)
        if name != "ctc_loss" or not hasattr(node, "_saved_blank"):
            return
        targets, lengths = graph.saved(node, "targets"), _lengths(node)
        if targets is None or lengths is None or targets.dim() > 2 or not summary.readable(targets):
            return
        self.index = int(node._saved_blank)
        if self.index >= 1 << 63:
            self.index -= 1 << 64
        self.kept.put(targets.detach(), lengths)

    def _rows(self, targets, lengths):
        lengths = device.here(lengths).tolist() if isinstance(lengths, torch.Tensor) else lengths
        for row in _rows(targets, [int(n) for n in lengths[:MOST]]):
            self._row(row)

    def _row(self, row):
        """One sequence, without its padding."""
        real = [i for i, x in enumerate(row) if x != self.index]
        if not real:
            return
        row = row[: real[-1] + 1]
        self.labels += len(row)
        for i, x in enumerate(row):
            if x == self.index:
                apart = i > 0 and row[i - 1] == row[i + 1] != x  # labels that are the same
                self.named += not apart
        self.pairs += sum(x != self.index and y != self.index for x, y in zip(row, row[1:]))

    def gather(self):
        """BlankFacts, or None without a blank among the labels."""
        self.kept.settle()
        if not self.named:
            return None
        return {"index": self.index, "labels": self.labels, "named": self.named, "pairs": self.pairs}


def _lengths(node):
    """The lengths of the sequences, a list or a tensor, as some devices have it; or None."""
    lengths = graph.saved(node, "target_lengths") if hasattr(node, "_raw_saved_target_lengths") else getattr(node, "_saved_target_lengths", None)
    if isinstance(lengths, torch.Tensor):
        return lengths.detach().clone() if summary.readable(lengths) else None
    return lengths


def _rows(targets, lengths):
    """The labels of each sequence: rows that are padded, or one after the other."""
    if targets.dim() == 2:
        return [row[:n] for row, n in zip(targets.tolist(), lengths)]
    out, at, flat = [], 0, targets.tolist()
    for n in lengths:
        out.append(flat[at : at + n])
        at += n
    return out
