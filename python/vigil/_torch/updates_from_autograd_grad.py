"""A script that takes its gradients from torch.autograd.grad and updates the weights with them, by hand or by an optimiser, and never calls backward.

Not every call means that: a penalty on gradients keeps the graph, saliency asks
for the gradient of an input, and a loop inside another one is followed by a
backward, with which all this ends.
"""

import torch


class Grads(object):
    """Calls of torch.autograd.grad that stand for a backward, of a process in which there was none."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.seen = False
        self.optimised = False  # an optimiser holds what is asked about: it makes the updates
        self.given = {}  # id of a leaf -> its gradient, while it is looked at

    def begins(self, args, kwargs):
        """grad is called with these arguments. The leaves it is asked about, None when it is none of our affair."""
        if kwargs.get("create_graph") or kwargs.get("retain_graph"):
            return None
        outputs, inputs = args
        if isinstance(outputs, (list, tuple)) and len(outputs) == 1:
            outputs = outputs[0]
        if not isinstance(outputs, torch.Tensor) or outputs.numel() != 1:
            return None
        inputs = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs)
        if not inputs or not all(isinstance(t, torch.Tensor) and t.is_leaf and t.requires_grad for t in inputs):
            return None
        t = self.tracker
        if (t.roots or t.optims or t.discovery.candidates) and not all(isinstance(p, torch.nn.Parameter) for p in inputs):
            return None
        if not self.seen:
            mine = {id(p) for p in inputs}
            self.optimised = any(id(p) in mine for o in t.registry.optimisers() for group in o.param_groups for p in group["params"])
        self.seen = True
        t.backward_begins((outputs,), {})
        t.one_loss = (None, None)  # such steps are not for the lane
        return inputs

    def ends(self, inputs, gradients):
        """It has returned these."""
        if not self.optimised:
            self.given = {id(p): g for p, g in zip(inputs, gradients) if g is not None}
        try:
            self.tracker.backward_ends()
        finally:
            self.given = {}

    def of(self, parameter):
        """The gradient of a parameter, or None."""
        return parameter.grad if parameter.grad is not None else self.given.get(id(parameter))

    def over(self):
        """backward is called after all: what grad was called for was something else."""
        if not self.seen:
            return
        self.seen = False
        t = self.tracker
        t.pending.take()
        t.snapshot = None
        if t.open is not None:
            t.open.backwards = 0
