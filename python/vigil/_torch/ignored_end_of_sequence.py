"""Whether the label that a loss leaves out is the end of sequences in place of what fills them up.

Such a label stands once in each row at the most, right before the filler, which is nowhere else and counts. Where padding is left out, or end and padding are
one token, the label that is left out is there many times.
"""

import torch

from vigil._torch import summary

MOST = 1 << 20  # elements of the labels
LEAST = 4  # rows, and places of one
ROWS = 0.5  # share of rows that have an end
PLACES = 3  # different ones, at which sequences end
AFTER = 16  # labels that are filler
KINDS = 4  # different labels before the end


class IgnoredEnds(object):
    """What the labels of one training look like, over the calls that are looked at."""

    def __init__(self):
        self.token = self.filler = self.read = None
        self.rows = self.after = 0
        self.other = False  # labels were left out that are no such end

    def take(self, label, ignore, given):
        """given: what the model was called with last; it reports how many samples there are."""
        if self.other or ignore is None or ignore < 0 or label.is_floating_point() or label.dim() > 2 or label.device.type != "cpu" or not summary.readable(label):
            return
        with torch.no_grad():
            if not 0 < label.numel() <= MOST or not bool((label == ignore).any()):
                return
            found = rows = None
            for rows in layouts(label, given):
                if self.read is not None and self.read[0] == rows.data_ptr() and self.read[1] == rows._version:
                    return  # the labels of another step of the same sequences
                found = _judge(rows, ignore)
                if found is not None:
                    break
            if rows is None:
                return  # nothing tells the rows before the model is known
            if found is None or self.filler not in (None, found[0]):
                self.other = True
                return
            self.read = rows.data_ptr(), rows._version
            self.token, self.filler = int(ignore), found[0]
            self.rows += found[1]
            self.after += found[2]

    def gather(self):
        """EndFacts or None."""
        if self.other or not self.rows:
            return None
        return {"token": self.token, "filler": self.filler, "rows": self.rows, "after": self.after}


def layouts(label, given):
    """The ways in which labels may be rows, one for each sample."""
    base = label._base
    if label.dim() == 2:
        yield label
        yield label.transpose(0, 1)
    elif base is not None and base.dim() == 2 and base.dtype is label.dtype and base.numel() <= MOST:
        yield base
        yield base.transpose(0, 1)
    else:
        for x in given:
            for samples, first in ((x.shape[0], True), (x.shape[1], False)):
                if samples >= LEAST and label.numel() % samples == 0:
                    yield label.reshape(samples, -1) if first else label.reshape(-1, samples).transpose(0, 1)


def _judge(rows, token):
    """(filler, rows that end with the token, places that are filler) of rows, or None where the token is no such end."""
    if len(rows) < LEAST or rows.shape[1] < LEAST:
        return None
    is_end = rows == token
    has = is_end.any(1)
    if bool((is_end.sum(1) > 1).any()) or float(has.float().mean()) < ROWS:
        return None
    ended = rows[has]
    at = is_end[has].int().argmax(1)
    places = torch.arange(rows.shape[1])
    after = places > at[:, None]
    if int(after.sum()) < AFTER or len(torch.unique(at)) < PLACES:
        return None
    filler = int(ended[after][0])
    before = ended[places < at[:, None]]
    if not bool((ended[after] == filler).all()) or bool((before == filler).any()) or bool((rows[~has] == filler).any()) or len(torch.unique(before)) < KINDS:
        return None
    return filler, int(has.sum()), int(after.sum())
