"""What fills sequences of tokens up to one length: how much of a model's input it is, and of the labels that its loss counts."""

import torch

from vigil._torch import ignored_end_of_sequence, summary

LEAST = 4  # sequences
PLACES = 16  # of one
LENGTHS = 3  # different ones over all calls, at least: sequences that all end in the same are made so
TOKENS = 3  # different ones: fewer are no text
MOST = 1 << 20  # tokens of one call


class PaddingTokens(object):
    """Shares of filler, over the calls that are looked at."""

    def __init__(self):
        self.token = None
        self.front = False
        self.length = self.filled = self.counted = 0
        self.lengths = set()  # places that it fills in a sequence
        self.other = False  # sequences without one, or with another one

    def take(self, rows, ignore=None):
        """rows: sequences, one each. ignore: what does not count."""
        found = of(rows, ignore)
        if found is None or self.token not in (None, found[0]):
            self.other = True
            return
        self.token, self.front = found[0], found[1]
        self.length = max(self.length, int(rows.shape[1]))
        self.filled += found[2]
        self.counted += found[3]
        self.lengths |= found[4]

    def inputs(self, given):
        """A model was called with these tensors: the first that has tokens counts."""
        rows = next((x for x in given if _tokens(x)), None)
        if rows is not None and not self.other:
            with torch.no_grad():
                self.take(rows)

    def labels(self, label, ignore, given):
        """A loss got these labels, after the model was called with ``given``."""
        if self.other or label.is_floating_point() or label.dim() > 2 or label.device.type != "cpu" or not summary.readable(label) or not 0 < label.numel() <= MOST:
            return
        with torch.no_grad():
            tried = False  # nothing tells the rows before the model is known
            for rows in ignored_end_of_sequence.layouts(label, given):
                tried = True
                if of(rows, ignore) is not None:
                    self.take(rows, ignore)
                    return
            self.other = tried

    def gather(self):
        """FillerFacts or None."""
        if self.other or not self.counted or len(self.lengths) < LENGTHS:
            return None
        facts = {"token": self.token, "length": self.length, "share": summary.number(self.filled / self.counted), "elements": self.counted}
        if self.front:
            facts["front"] = True
        return facts


def _tokens(x):
    return x.dim() == 2 and x.dtype in (torch.int64, torch.int32) and x.shape[0] >= LEAST and x.shape[1] >= PLACES and x.numel() <= MOST and x.device.type == "cpu" and summary.readable(x)


def of(rows, ignore=None):
    """(token, whether it is in front, places that it fills, places that count, how many it fills in a sequence) of sequences that one token fills up; None of others.

    It stands nowhere else, but for the first place, where it may begin a sequence.
    """
    if rows.dim() != 2 or rows.shape[0] < LEAST or rows.shape[1] < PLACES:
        return None
    if ignore is not None:
        kept = (rows != ignore).any(0).nonzero()  # a last place may be left out of all
        if len(kept) < PLACES:
            return None
        rows = rows[:, int(kept[0]) : int(kept[-1]) + 1]
    for front in (False, True):
        seen = rows if front else rows.flip(1)
        token = int(seen[:, 0].mode().values)
        is_token = seen == token
        runs = is_token.int().cumprod(1).sum(1)
        elsewhere = int(is_token.sum() - runs.sum())
        begins = 0 if front else int((is_token[:, -1] & (runs < rows.shape[1])).sum())
        if token != ignore and elsewhere in (0, begins) and int((runs > 1).sum()) * 2 >= len(rows) and len(torch.unique(rows)) > TOKENS:
            return token, front, int(runs.sum()), int((rows != ignore).sum()) if ignore is not None else rows.numel(), set(runs.tolist())
    return None
