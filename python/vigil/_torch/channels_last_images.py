"""Whether images with their channels last were given another shape where their axes should have been exchanged.

Read in the order of memory such images still are pixel after pixel: values as far
apart as there are channels are neighbours of one channel, and more alike than
values that lie side by side. In images whose channels come first it is the reverse.
"""

import torch

from vigil._torch import summary

MOST = 16  # images of one step
PIXELS = 1 << 15  # values of one image
STEPS = 4  # that are looked at
LEAST = 6  # pixels of a side


class Interleaved(object):
    """One look per step, at the first steps."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.looks = []  # places of numbers

    def take(self, given):
        """Look at the first of these tensors that may hold images of three or four channels: (samples, channels, height, width)."""
        if len(self.looks) >= STEPS:
            return
        x = next((t for t in given if t.is_floating_point() and t.dim() == 4 and t.shape[1] in (3, 4) and min(t.shape[2:]) >= LEAST), None)
        if x is None or not x.shape[0] or x[0].numel() > PIXELS or not summary.readable(x):
            return
        with torch.no_grad():
            c = x.shape[1]
            x = x.detach()[:MOST].to(torch.float32).flatten(1)
            apart = [(x[:, k:] - x[:, :-k]).square().mean() for k in (c, 1, 2, c + 1, 2 * c)]
            self.looks.append(self.numbers.put(torch.stack(apart)))

    def found(self, numbers):
        """Whether every look showed it. Patterns that repeat with the number of channels do not count."""
        return len(self.looks) >= 2 and all(_mixed(*numbers[at]) for at in self.looks)


def _mixed(channel, one, two, next_one, twice):
    """Mean squared differences of values that lie that far apart: of one channel and its next pixel, side by side, …"""
    return 1.05 * channel < twice and channel < 0.7 * min(one, two, next_one)
