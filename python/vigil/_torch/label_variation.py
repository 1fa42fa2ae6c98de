"""How labels of several values each vary from sample to sample, place by place.

Who knows only how often each place is set, or what its mean is, has a loss that
follows from it; a training that never gets below learnt nothing of its inputs.
"""

import torch

from vigil._torch import summary

MEANS = 100  # places whose means are told one by one
MOST = 1 << 14  # places
ROWS = 1 << 12  # samples of one call
CLASSES = 16  # that numbers of classes may name


class LabelVariation(object):
    """Sums over the labels of several calls, for each place of a sample."""

    def __init__(self):
        self.shape = None  # of a sample; () once a call had others
        self.samples = 0
        self.sums = None  # of values, of their squares, of their entropies where they are chances
        self.chances = True
        self.kept = summary.Kept(self._take)
        self.counts = None  # of whole numbers: how often each class comes at each place

    def take(self, label):
        """Take the labels of one call in: the first axis holds samples. What is not finite ends it."""
        shape = tuple(label.shape[1:])
        if self.shape is None:
            self.shape = shape
        if self.shape != shape or not self.shape or label.dtype == torch.bool:
            self.shape = ()
            return
        n = label[0].numel() if label.shape[0] else 0
        if not 2 <= n <= MOST:
            self.shape = ()
            return
        self.kept.put(label.detach()[: min(ROWS, max((1 << 20) // n, 1))])

    def _take(self, label):
        if not self.shape:
            return
        x = label.reshape(label.shape[0], -1).to(torch.float64)
        if not label.is_floating_point():
            self._classes(x)
            return
        total = x.sum(0)
        if not bool(torch.isfinite(total).all()):
            self.shape = ()
            return
        self.chances = self.chances and 0 <= x.min().item() and x.max().item() <= 1
        sums = torch.stack([total, x.pow(2).sum(0), _entropy(x).sum(0) if self.chances else torch.zeros_like(total)])
        self.sums = sums if self.sums is None else self.sums + sums
        self.samples += x.shape[0]

    def _classes(self, x):
        if not 0 <= x.min().item() <= x.max().item() < CLASSES:
            self.shape = ()
            return
        counts = torch.stack([(x == c).sum(0) for c in range(CLASSES)]).to(torch.float64)
        self.counts = counts if self.counts is None else self.counts + counts
        self.samples += x.shape[0]

    def gather(self):
        """FeatureLabels as a JSON object, or None."""
        self.kept.settle()
        if not self.shape or self.samples < 2:
            return None
        if self.counts is not None:
            if self.sums is not None:
                return None  # some calls had other labels
            p = self.counts / self.samples
            return {"places": int(p.shape[1]), "samples": self.samples, "variance": 0.0, "entropy": -torch.xlogy(p, p).sum(0).mean().item(), "floor": 0.0}
        mean = self.sums[0] / self.samples
        variance = (self.sums[1] / self.samples - mean.pow(2)).clamp(min=0) * self.samples / (self.samples - 1)
        out = {"places": int(mean.numel()), "samples": self.samples, "variance": variance.mean().item()}
        if self.chances:
            out["entropy"] = _entropy(mean).mean().item()
            out["floor"] = (self.sums[2].mean() / self.samples).item()
            if mean.numel() <= MEANS:
                out["means"] = [summary.number(x) for x in mean.tolist()]
        return out


def _entropy(p):
    """In nats, of yes with these chances."""
    return -(torch.xlogy(p, p) + torch.xlogy(1 - p, 1 - p))
