"""Weights that a forward makes again each time, such as those of a layer that is constructed in it.

The loss depends on them, but when backward begins the module that they belonged
to is gone already, and after it they are gone themselves. Two steps have to show
that.
"""

import weakref

from vigil._torch import autograd, graph

MOST = 20


class MadeInForward(object):
    """Weights that belong to nobody, over two TRAIN steps."""

    def __init__(self):
        self.steps = []  # two at most
        self.found = []  # of each step: [(weak reference, operation, shape)]

    def wants(self, step):
        """Whether the graphs of a step later than the first are to be looked at as well."""
        return len(self.steps) == 1 and step is not self.steps[0] and bool(self.found[0])

    def look(self, step, tensor, known, owned):
        """backward is about to be called on ``tensor``, in a step that is wanted. owned(ids) gives those of modules and optimisers that live."""
        if tensor.grad_fn is not None:
            walk = autograd.Walk(graph.base(tensor)[1] if tensor.numel() == 1 else tensor.grad_fn, known)
            self.take(step, walk.leaves, walk.stray, owned(set(walk.stray)) if walk.stray else ())

    def take(self, step, leaves, stray, owned):
        """stray: id -> operation, as of Walk; owned: the ids among them that belong to a module or an optimiser."""
        if step not in self.steps:
            self.steps.append(step)
            self.found.append([])
        for at, operation in stray.items():
            if at not in owned and len(self.found[-1]) < MOST:
                p = leaves[at]
                self.found[-1].append((weakref.ref(p), operation, [int(n) for n in p.shape]))

    def gather(self):
        """[AnewFact] when both steps had the same ones and none of them lives."""
        if len(self.found) < 2 or any(ref() is not None for found in self.found for ref, _, _ in found):
            return []
        first, second = ([(operation, shape) for _, operation, shape in found] for found in self.found)
        return [{"operation": operation, "shape": shape} for operation, shape in first] if first == second else []
