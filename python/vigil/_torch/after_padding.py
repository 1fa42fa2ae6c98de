"""A recurrent layer of whose results the loss takes only the last, where sequences are filled up: what is left there of each sequence.

The state fades with every step over padding. How far apart the samples of a batch lie after it, next to how far apart they lay at the end of each
sequence, reports what has come through.
"""

import torch
from torch import nn

from vigil import _guard
from vigil._torch import summary

LEAST = 4  # samples
LENGTHS = 3  # different ones, at least: sequences that all end in the same are made so
MOST = 1 << 22  # elements of what the layer gives
ENDS = 0.9  # share of samples that end in padding, at least


class AfterPadding(object):
    """What one call of a recurrent layer gave, until the gradients tell what was used of it."""

    def __init__(self, facts, steps, both):
        self.facts = facts
        self.steps = steps  # axis
        self.both = both  # it reads backwards as well
        self.last = self.other = False  # gradients came for the last state, for others
        self.handles = []

    def hook(self, out, states):
        self.handles.append(out.register_hook(self._of_all))
        for state in states:
            if state.requires_grad:
                self.handles.append(state.register_hook(self._of_state))

    def forget(self):
        handles, self.handles = self.handles, []
        for handle in handles:
            handle.remove()

    @_guard.guard
    def _of_all(self, grad):
        if grad is None:  # of one result of an operation that has others
            return
        if not summary.readable(grad):
            self.other = True
            return
        with torch.no_grad():
            used = (grad.detach().transpose(0, self.steps) != 0).flatten(1).any(1)
            self.last |= bool(used[-1])
            self.other |= bool(used[:-1].any())

    @_guard.guard
    def _of_state(self, grad):
        if grad is None:
            return
        self.last = True
        self.other |= self.both  # the state that reads backwards has met the sequence last

    def gather(self):
        """AfterPaddingFacts, or None where more was used than the last state."""
        return self.facts if self.last and not self.other else None


@_guard.guard
def look(module, output, sequences):
    """AfterPadding of a call of a module, None of what is no recurrent layer over sequences that are filled up at their end. sequences: that the forward was given."""
    if not isinstance(module, nn.RNNBase) or not isinstance(output, tuple) or len(output) != 2 or not sequences:
        return None
    out, state = output
    states = [t for t in (state if isinstance(state, tuple) else (state,)) if isinstance(t, torch.Tensor)]
    if not isinstance(out, torch.Tensor) or out.dim() != 3 or not out.requires_grad or out.device.type != "cpu" or out.numel() > MOST or not summary.readable(out):
        return None
    steps = 1 if module.batch_first else 0
    with torch.no_grad():
        rows = out.detach().transpose(0, 1) if steps == 0 else out.detach()
        for x in sequences:
            facts = _facts(rows, x, steps)
            if facts is not None:
                one = AfterPadding(facts, steps, bool(module.bidirectional))
                one.hook(out, states)
                return one
    return None


def _facts(rows, x, steps):
    """AfterPaddingFacts of what a layer gave (samples, steps, units) for a sequence, or None."""
    for sequence in (x, x.transpose(0, 1)) if steps else (x.transpose(0, 1), x):
        if sequence.shape[:2] != rows.shape[:2] or len(sequence) < LEAST:
            continue
        run = trailing(sequence)
        if run is None:
            continue
        length = rows.shape[1]
        own = rows[torch.arange(len(rows)), (length - 1 - run).clamp(min=0)].float()
        last = rows[:, -1].float()
        apart, before = float(last.std(0).mean()), float(own.std(0).mean())
        if not before > 0 or apart - apart != 0:
            return None
        return {
            "length": int(length),
            "padding": int(run.median()),
            "token": None if sequence.is_floating_point() else int(sequence[0, -1] if bool(run[0]) else sequence[:, -1].median()),
            "left": summary.number(apart / before),
        }
    return None


def trailing(x):
    """How many places at the end of each sample (samples, places, …) are the same, whatever the sample; None where that is no padding."""
    filler = x[:, -1].median(0).values
    same = (x == filler).reshape(x.shape[0], x.shape[1], -1).all(-1)
    run = same.flip(1).int().cumprod(1).sum(1)
    if float((run > 0).float().mean()) < ENDS or len(torch.unique(run)) < LENGTHS:
        return None
    return run
