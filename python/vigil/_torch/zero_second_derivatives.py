"""Second derivatives that are zero everywhere, because the network is made of straight pieces.

A network whose only non-linear units are ReLU and its kin is linear on each of
its pieces: what an equation asks of its second derivative teaches it nothing.
Who takes the gradient of an input, with a graph, and with a graph again the
gradient of that, has such a term. Products with gradients of parameters
(Hessians of a loss, meta-learning) and penalties on a first derivative are none.
"""

import torch

from vigil import _guard
from vigil._torch import operations, summary

STRAIGHT = frozenset(("relu", "leaky_relu", "hardtanh", "prelu", "rrelu"))
FEWEST = 8  # values of a derivative
MOST_NODES = 2000
MOST_VALUES = 1 << 20
_MOST = 4  # first derivatives of a step that are remembered
_PARTS = frozenset(("Select", "Slice", "Sum", "Mul", "Neg", "Unbind", "Split", "SplitWithSizes", "Index"))
_BENT = frozenset((
    "tanh", "sigmoid", "gelu", "silu", "softplus", "mish", "elu", "log_sigmoid", "softmax", "log_softmax", "exp", "log", "sin", "cos", "glu", "attention", "lstm", "recurrent",
    "layer_norm", "batch_norm", "group_norm", "rms_norm", "logsumexp", "hardswish",
))  # fmt: skip


class ZeroSecondDerivatives(object):
    """Calls of torch.autograd.grad with create_graph, of the first steps."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.first = []  # [(input, its first derivative, units of what was derived)], of this step
        self.second = []  # places of numbers
        self.units = set()

    def forget(self):
        self.first = []

    def begins(self, outputs, inputs):
        """grad is called with create_graph; gives what is to be told of its results, or None."""
        outputs = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs or ())
        inputs = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs)
        if len(outputs) != 1 or not all(isinstance(t, torch.Tensor) and not isinstance(t, torch.nn.Parameter) for t in inputs) or outputs[0].grad_fn is None:
            return None
        for given, derivative, units in self.first:
            if any(t is given for t in inputs) and _part_of(outputs[0].grad_fn, derivative.grad_fn):
                at = next(i for i, t in enumerate(inputs) if t is given)
                return lambda gradients: self._second(gradients[at], derivative, units)
        if len(self.first) >= _MOST:
            return None
        units = _units(outputs[0].grad_fn)
        return units and (lambda gradients: self._first(inputs, gradients, units))

    def _first(self, inputs, gradients, units):
        for given, g in zip(inputs, gradients):
            if isinstance(g, torch.Tensor) and g.grad_fn is not None and FEWEST <= g.numel() <= MOST_VALUES:
                self.first.append((given, g, units))

    def _second(self, gradient, derivative, units):
        if not isinstance(gradient, torch.Tensor) or not summary.readable(gradient) or not FEWEST <= gradient.numel() <= MOST_VALUES:
            return
        self.units |= units
        with torch.no_grad():
            most = [x.detach().abs().amax().to(summary.precise(x)) for x in (derivative, gradient)]
            self.second.append(self.numbers.put(torch.stack(most)))

    def gather(self, numbers):
        """SecondFacts, or None where no second derivative was taken, or one was not zero."""
        looks = [numbers[at] for at in self.second]
        if len(looks) < 2 or not all(second == 0 < first for first, second in looks):
            return None
        return {"units": sorted(self.units), "taken": len(looks)}


def _part_of(node, derivative):
    """Whether a node is a first derivative, or a part of it, a sum or a multiple."""
    for _ in range(8):
        if node is None or node is derivative:
            return node is not None
        if operations.base(node) not in operations.SHAPES and operations.base(node) not in _PARTS:
            return False
        node = next((n for n, _ in node.next_functions if n is not None), None)
    return False


@_guard.guard
def _units(node):
    """The units with straight pieces below a node; none where others that are bent stand there as well."""
    found, stack, seen = set(), [node], {}
    while stack:
        node = stack.pop()
        if node is None or id(node) in seen:
            continue
        if len(seen) >= MOST_NODES:
            return set()
        seen[id(node)] = node
        name = operations.neutral(node)
        if name in _BENT:
            return set()
        if name in STRAIGHT:
            found.add(name)
        stack.extend(n for n, _ in node.next_functions)
    return found
