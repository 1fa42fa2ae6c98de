"""Whether the labels are the model's own input, one place further on: each place is to foretell the next one. Tokens may be two places further on, where they were moved twice."""

import torch

from vigil._torch import compat, summary

MOST = 4  # tensors of one call
_PLACES = 4  # the least length
_SAME = 0.98


class NextPlace(object):
    """Compares labels with what the model was last called with. ``given`` lives for one step."""

    def __init__(self):
        self.given = []
        self.compared = False  # labels came since the model was called
        self.looks = self.hits = 0
        self.length = 0
        self.input = 0  # place of the tensor among those of the call
        self.alone = True  # it was the only sequence that the call had
        self.places = set()  # how far on the labels are

    def called(self, given):
        """The model is called with these tensors."""
        self.given = [t for t in given if t.dim() >= 2 and max(t.shape[:2]) >= _PLACES][:MOST]
        self.compared = False

    def labels(self, label):
        """A loss got these labels."""
        self.compared = True
        if not self.given or self.looks >= 8 or not _usable(label):
            return
        self.looks += 1
        for i, x in enumerate(self.given):
            length, places = _usable(x) and _ahead(x, label, 1), 1
            if not length and _usable(x) and not x.is_floating_point():
                length, places = _ahead(x, label, 2), 2
            if length:
                self.hits += 1
                self.places.add(places)
                self.length, self.input, self.alone = length, i, len(self.given) == 1
                break

    def gather(self):
        """AheadFacts, or None where not all labels were such."""
        if not self.hits or self.hits < self.looks or len(self.places) > 1:
            return None
        return {"length": self.length, "input": self.input, "alone": self.alone, "places": max(self.places)}


def _usable(x):
    return compat.why_not(x) is None and summary.readable(x) and x.device.type == "cpu" and not x.is_complex() and 16 <= x.numel() <= 1 << 22


def _ahead(x, y, places):
    """The length of the sequences of ``x`` when ``y`` is what follows so many places after each; 0 otherwise."""
    with torch.no_grad():
        x, y = x.detach(), y.detach()
        for sequence in (x, x.transpose(0, 1)):  # samples come first, or places do
            n, length = sequence.shape[:2]
            if length < _PLACES or n < 1:
                continue
            inside = tuple(sequence.shape)
            for cut in range(places + 1):
                shape = inside if not cut else (n, length - cut) + inside[2:]
                if y.numel() != _product(shape):
                    continue
                mine = y.reshape(shape) if sequence is x else y.reshape((shape[1], shape[0]) + shape[2:]).transpose(0, 1)
                follows = mine[:, : length - places]
                told = (follows != -100) if not follows.is_floating_point() else torch.ones_like(follows, dtype=torch.bool)
                count = int(told.sum())
                if count < 16:
                    continue
                next_ = ((follows == sequence[:, places:]) & told).sum().item() / count
                here = max(((follows == sequence[:, k : k + follows.shape[1]]) & told).sum().item() / count for k in range(places))
                if next_ >= _SAME and here < 0.9:
                    return int(length)
    return 0


def _product(shape):
    n = 1
    for d in shape:
        n *= d
    return n
