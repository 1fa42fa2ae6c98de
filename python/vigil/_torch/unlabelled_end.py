"""Whether the token that ends sequences is never among the labels, because it is also the one that fills them up.

The mask says where a sequence ends: the last token that it lets through is the one that fills what it hides.
"""

import torch

from vigil._torch import summary

MOST = 1 << 20  # elements of the labels
LEAST = 4  # rows, and places of one


class UnlabelledEnd(object):
    """Counts over the calls that are looked at."""

    def __init__(self):
        self.token = None
        self.rows = self.ended = self.labels = self.counted = 0
        self.other = False  # sequences without one, or with another one

    def take(self, label, ignore, given):
        """A loss got these labels; ignore: what does not count. given: what the model was called with; nothing before it is known."""
        if self.other or not given or ignore is None or label.is_floating_point() or label.device.type != "cpu" or not summary.readable(label) or not 0 < label.numel() <= MOST:
            return
        rows, mask = sequences(given)
        if mask is None:
            self.other = True
            return
        with torch.no_grad():
            counted = label[label != ignore]
            # Labels are the sequences themselves, or all but their first or last place.
            if label.numel() not in (rows.numel(), rows.numel() - len(rows)) or not bool(torch.isin(counted, rows).all()):
                self.other = True
                return
            hidden = rows[~mask]
            if not hidden.numel():
                return  # these are all of one length
            token = int(hidden[0])
            if self.token not in (None, token) or not bool((hidden == token).all()):
                self.other = True
                return
            places = torch.arange(1, rows.shape[1] + 1)
            last = (mask * places).argmax(1)
            filled = ~mask.all(1)
            self.token = token
            self.rows += int(filled.sum())
            self.ended += int((filled & mask.any(1) & (rows[torch.arange(len(rows)), last] == token)).sum())
            self.labels += int(counted.numel())
            self.counted += int((counted == token).sum())

    def gather(self):
        """UnlabelledEndFacts or None."""
        if self.other or not self.ended:
            return None
        return {"token": self.token, "rows": self.rows, "ended": self.ended, "labels": self.labels, "counted": self.counted}


def sequences(given):
    """(rows of tokens, what a mask lets through of them) of what a model was called with; (None, None) of anything else."""
    whole = [x for x in given if x.dim() == 2 and not x.is_floating_point() and not x.is_complex() and len(x) >= LEAST and x.shape[1] >= LEAST and x.device.type == "cpu" and summary.readable(x)]
    with torch.no_grad():
        masks = [x for x in whole if x.dtype is torch.bool or bool((x >> 1 == 0).all())]
    rows = next((x for x in whole if all(x is not m for m in masks)), None)
    mask = next((m for m in masks if rows is not None and m.shape == rows.shape), None)
    return (rows, mask.bool()) if mask is not None else (None, None)
