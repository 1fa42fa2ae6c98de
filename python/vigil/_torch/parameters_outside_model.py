"""Tensors that the loss depends on and that nothing keeps in order: no module has them, and no optimiser holds them.

They are parameters that are next to the model, in an object, a list or a
variable of the script, or single numbers that ask for gradients: coefficients,
temperatures, variances, weights of losses. What the script updates by hand
changes between the first look and the last, or has a gradient that the script
clears: that of a forgotten tensor grows from backward to backward, because
nobody's zero_grad() knows it.
"""

import weakref

import torch

from vigil._torch import summary

MOST = 20
VALUES = 4096  # elements that are compared
GREW = 3  # backward passes added to a gradient that nobody clears


class OutsideModel(object):
    """Seen in the graph of one TRAIN step, looked at again some steps later."""

    def __init__(self):
        self.seen = []  # (weak reference, its values)

    def take(self, tensors):
        """The loss depends on these leaves, and no module that lives has them."""
        known = [ref() for ref, _ in self.seen]
        for tensor in tensors:
            if len(self.seen) < MOST and not any(k is tensor for k in known) and tensor.numel() and summary.readable(tensor):
                self.seen.append((weakref.ref(tensor), self._values(tensor)))

    def _values(self, tensor):
        with torch.no_grad():
            return summary.first(tensor, VALUES).clone()

    def gather(self, held):
        """[LooseFact] of those that are there, as they were, and of no optimiser. held: ids of parameters."""
        out = []
        for ref, before in self.seen:
            tensor = ref()
            if tensor is None or id(tensor) in held or not tensor.requires_grad or not torch.equal(before, self._values(tensor)):
                continue
            if tensor.grad is None or tensor.grad._version < GREW:
                continue
            facts = {"shape": [int(n) for n in tensor.shape], "parameter": isinstance(tensor, torch.nn.Parameter)}
            if tensor.numel() == 1:
                facts["value"] = summary.number(before.to(torch.float64).cpu()[0])
            out.append(facts)
        return out
