"""What a model is called with over the first steps: types, values, features, and whether it ever changes."""

import struct

import torch

from vigil import _guard
from vigil._torch import summary
from vigil._torch.activations import tensors
from vigil._torch.channels_last_images import Interleaved
from vigil._torch.padding_tokens import PaddingTokens
from vigil._torch.repeated_batches import RepeatedBatches

MOST = 16  # tensors of one call
FEATURES = 4096
FAINT = 1e-3  # of the largest deviation of a feature
SAMPLE = 256  # elements of a tensor that its fingerprint holds one by one
WHOLE = 1 << 18  # elements that it holds a sum of


class Inputs(object):
    """One look per TRAIN step."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.tensors = None
        self.prints = []  # per step: [(shape, dtype, place in the numbers)]
        self.features = []  # places of per-feature numbers, per step
        self.shape = None  # features, once they are known
        self.batches = RepeatedBatches()
        self.images = Interleaved(numbers)
        self.filler = PaddingTokens()

    def take(self, args, kwargs, kept=True):
        """kept: the script itself has these tensors, so that the same one says it is the same batch."""
        given = []
        for tensor in tensors((args, kwargs)):
            given.append(tensor)
            if len(given) >= MOST:
                break
        if not given:
            return
        if self.tensors is None:
            self.tensors = []
            for tensor in given:
                facts = summary.described(tensor)
                facts["values"] = summary.values(tensor, self.numbers)
                self.tensors.append(facts)
        if kept:
            _guard.guard(self.batches.take)(given[0])
        self.prints.append([(tuple(t.shape), str(t.dtype), self._print(t)) for t in given])
        self._features(given)
        _guard.guard(self.images.take)(given)
        _guard.guard(self.filler.inputs)(given)

    def _print(self, tensor):
        if not tensor.numel() or not summary.readable(tensor):
            return None
        with torch.no_grad():
            kind = summary.precise(tensor)
            x = summary.first(tensor, WHOLE)
            if x.is_complex():
                x = torch.view_as_real(x).reshape(-1)
            if not x.is_floating_point() or x.element_size() < 4:
                x = x.to(kind)
            some = x[:: max(x.numel() // SAMPLE, 1)].to(kind)
            vector = torch.cat([some, x.sum(dtype=kind).reshape(1), x.abs().sum(dtype=kind).reshape(1)])
            return self.numbers.put(vector)

    def _features(self, given):
        x = next((t for t in given if t.is_floating_point() and t.dim() >= 2), None)
        if x is None or not x.numel() or not 0 < x.shape[1] <= FEATURES or not summary.readable(x):
            return
        if self.shape is not None and self.shape != x.shape[1]:
            return
        with torch.no_grad():
            rows = max(summary.MOST // max(x[0].numel(), 1), 1)
            x = x.detach()[:rows].to(summary.precise(x))
            others = [i for i in range(x.dim()) if i != 1]
            variance, mean = torch.var_mean(x, dim=others, unbiased=False)
            vector = torch.cat([mean, variance, x.amin(dim=others), x.amax(dim=others)])
            self.features.append((self.numbers.put(vector), x.numel() // x.shape[1]))
        self.shape = int(x.shape[1])

    def gather(self, numbers, loaders=()):
        """InputFacts without their place, or None. loaders: those that the script goes through."""
        if not self.tensors:
            return None
        seen = []
        for step in self.prints:
            key = [(shape, dtype, None if at is None else struct.pack("%dd" % len(numbers[at]), *numbers[at])) for shape, dtype, at in step]
            if key not in seen:
                seen.append(key)
        out = {"tensors": [summary.read(t, numbers) for t in self.tensors], "steps": len(self.prints), "distinct": len(seen)}
        if self.batches.renewed:
            out["renewed"] = self.batches.renewed
            if len(seen) == 1 and len(self.prints) > 1:
                out["part_of_more"] = bool(_guard.guard(self.batches.part_of_more)(loaders))
        filler = self.filler.gather()
        if filler is not None:
            out["filler"] = filler
        if self.images.found(numbers):
            out["interleaved"] = True
        features = self._compare(numbers)
        if features:
            out["features"] = features
        return out

    def _compare(self, numbers):
        n = self.shape
        if not n:
            return None
        steps = torch.tensor([numbers[at] for at, _ in self.features], dtype=torch.float64, device="cpu").reshape(-1, 4, n)
        share = torch.tensor([c for _, c in self.features], dtype=torch.float64, device="cpu").reshape(-1, 1)
        share = share / share.sum()
        mean = (steps[:, 0] * share).sum(0)
        variance = ((steps[:, 1] + (steps[:, 0] - mean) ** 2) * share).sum(0)
        constant = steps[:, 2].amin(0) == steps[:, 3].amax(0)
        std = torch.where(constant, torch.zeros_like(variance), variance.sqrt())
        finite = torch.isfinite(std) & torch.isfinite(mean)
        if not bool(finite.any()):
            return None
        constant, std, mean = constant[finite], std[finite], mean[finite]
        out = {
            "features": n,
            "std_min": summary.number(std.min()),
            "std_max": summary.number(std.max()),
            "mean_min": summary.number(mean.min()),
            "mean_max": summary.number(mean.max()),
            "constant": int(constant.sum()),
        }
        faint = int(((std < FAINT * std.max()) & ~constant).sum())
        if faint:
            out["faint"] = faint
        return out
