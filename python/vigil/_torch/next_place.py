"""Whether the labels are the model's own input, one place further on: each place is to foretell the next one."""

import torch

from vigil._torch import backend, summary

MOST = 4  # tensors of one call
_PLACES = 4  # the least length
_SAME = 0.98


class NextPlace(object):
    """Compares labels with what the model was last called with. ``given`` lives for one step."""

    def __init__(self):
        self.given = []
        self.looks = self.hits = 0
        self.length = 0
        self.input = 0  # place of the tensor among those of the call
        self.alone = True  # it was the only sequence that the call had

    def called(self, given):
        """The model is called with these tensors."""
        self.given = [t for t in given if t.dim() >= 2 and max(t.shape[:2]) >= _PLACES][:MOST]

    def labels(self, label):
        """A loss got these labels."""
        if not self.given or self.looks >= 8 or not _usable(label):
            return
        self.looks += 1
        for i, x in enumerate(self.given):
            length = _usable(x) and _ahead(x, label)
            if length:
                self.hits += 1
                self.length, self.input, self.alone = length, i, len(self.given) == 1
                break

    def gather(self):
        """AheadFacts, or None where not all labels were such."""
        if not self.hits or self.hits < self.looks:
            return None
        return {"length": self.length, "input": self.input, "alone": self.alone}


def _usable(x):
    return backend.why_not(x) is None and summary.readable(x) and x.device.type == "cpu" and not x.is_complex() and 16 <= x.numel() <= 1 << 22


def _ahead(x, y):
    """The length of the sequences of ``x`` when ``y`` is what follows at each place; 0 otherwise."""
    with torch.no_grad():
        x, y = x.detach(), y.detach()
        for sequence in (x, x.transpose(0, 1)):  # samples come first, or places do
            n, length = sequence.shape[:2]
            if length < _PLACES or n < 1:
                continue
            inside = tuple(sequence.shape)
            for cut in (0, 1):
                shape = inside if not cut else (n, length - 1) + inside[2:]
                if y.numel() != _product(shape):
                    continue
                mine = y.reshape(shape) if sequence is x else y.reshape((shape[1], shape[0]) + shape[2:]).transpose(0, 1)
                follows = mine if cut else mine[:, :-1]
                told = (follows != -100) if not follows.is_floating_point() else torch.ones_like(follows, dtype=torch.bool)
                count = int(told.sum())
                if count < 16:
                    continue
                next_ = ((follows == sequence[:, 1:]) & told).sum().item() / count
                here = ((follows == sequence[:, : follows.shape[1]]) & told).sum().item() / count
                if next_ >= _SAME and here < 0.9:
                    return int(length)
    return 0


def _product(shape):
    n = 1
    for d in shape:
        n *= d
    return n
