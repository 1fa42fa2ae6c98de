"""A loss that is minus the logarithm of a normal, or Laplace, density of the labels, with a mean and a scale that the network gives.

Written out it is a logarithm of the scale and squares, or magnitudes, of a
difference that are divided by it; torch.distributions and gaussian_nll_loss
leave the same in the graph. Read before backward; no reference to it is kept.
"""

import torch

from vigil import _guard
from vigil._torch import graph, handwritten_losses, output_operations, parameter_penalty, summary
from vigil._torch.operations import SHAPES, base

NAMES = {"normal": "gaussian_nll_loss", "laplace": "laplace_nll_loss"}
_LOSSES = frozenset(("GaussianNLLLoss",) + tuple(NAMES.values()))
_NODES = 64  # of the sum
_STEPS = 16  # between a term and the layer that gives the scale
_WEIGHT = 1 << 20  # numbers of a constant weight that are read
_RISES = frozenset(("Exp", "Expm", "Log", "LogP", "Sqrt", "Softplus", "Sigmoid", "Clamp", "ClampMin", "ClampMax", "Elu", "Slice", "Select", "Tanh", "Hardtanh", "Relu"))
_FALLS = frozenset(("Neg", "Rsqrt", "Reciprocal", "Rsub"))


class Errors(object):
    """Squares or magnitudes of a difference with something that no gradient goes to."""

    def __init__(self, kind, difference, value):
        self.kind = kind
        self.difference = difference  # node
        self.value = value  # what it gave, None where the graph does not keep it
        self.sign = 1
        self.scales = []  # (node, 1 where the errors are multiplied with what it gives, -1 where they are divided)


class Density(object):
    """DensityFacts of a training: whether all its losses are of that kind, and the same."""

    def __init__(self):
        self.key = self.way = None
        self.other = False

    @_guard.guard
    def take(self, node):
        """backward begins at ``node``."""
        if self.other:
            return
        found = find(node)
        if found is None:
            self.other = True
            return
        errors, factor, held = found
        key = errors.kind, factor, held
        way = output_operations.way(_prediction(errors.difference))
        # A worth that a logarithm is multiplied with differs from step to step.
        self.other = self.key not in (None, key) or self.way not in (None, way)
        self.key, self.way = key, way

    def gather(self, loss):
        """DensityFacts or None. loss: the name that the labels go by."""
        if self.other or self.key is None or loss not in _LOSSES:
            return None
        kind, factor, held = self.key
        facts = {"kind": kind, "larger": factor < 0, "way": self.way}
        if held is not None:
            facts["held"] = held
        return facts


def given(node, outputs):
    """(function, prediction, label, False, node of the prediction) as of handwritten_losses.given, of such a loss; None of others."""
    found = find(node)
    if found is None or found[0].value is None:
        return None
    errors = found[0]
    got = handwritten_losses.compared(("", errors.difference, errors.value), outputs)
    return None if got is None else (NAMES[errors.kind],) + got[1:]


def find(node):
    """(Errors, their factor in the loss, whether the logarithm of the scale holds it against them) or None; the last is None of a scale that is a constant."""
    errors, scales = None, []
    for term, factor in _terms(node) or ():
        one = _errors(term)
        if one is None:
            scales.append((term, factor))
        elif errors is not None:
            return None
        else:
            errors = one, factor * one.sign
    if errors is None:
        return None
    one, factor = errors
    if not one.scales and not scales:
        return one, factor, None
    if len(one.scales) != 1 or not scales:
        return None
    node, way = one.scales[0]
    down = _down(node, way)
    directions = set()
    for term, share in scales:
        tied = _tied(_down(term, 1 if share > 0 else -1), down)
        if tied is None:
            return None
        directions.add(tied * (1 if factor > 0 else -1) < 0)
    return (one, factor, directions.pop()) if len(directions) == 1 else None


def _terms(node):
    """[(node, factor)] of the terms of a loss; the factor is without averaging. None where there are too many."""
    out, stack = [], [(node, 1.0)]
    for _ in range(_NODES):
        if not stack:
            return out
        node, factor = stack.pop()
        if node is None:
            continue  # a constant
        kind = base(node)
        below = [n for n, _ in node.next_functions]
        scaled = parameter_penalty.scaled(node, kind) if kind in ("Mul", "Div") else None
        if kind in ("Add", "Sub"):
            alpha = float(getattr(node, "_saved_alpha", 1)) * (-1 if kind == "Sub" else 1)
            stack.extend((n, factor * (alpha if i else 1)) for i, n in enumerate(below))
        elif kind in ("Neg", "Rsub"):
            stack.append((below[0], -factor))
        elif kind in ("Mean", "Sum") or kind in SHAPES and kind != "AccumulateGrad" and below:
            stack.append((below[0], factor))
        elif scaled is not None:
            stack.append((scaled[0], factor * scaled[1]))
        else:
            out.append((node, factor))
    return None


def _errors(node):
    """Errors that a term is made of, or None."""
    sign, scales = 1, []
    for _ in range(_STEPS):
        if node is None:
            return None
        kind = base(node)
        below = [n for n, _ in node.next_functions]
        found = None
        if kind == "Pow" and getattr(node, "_saved_exponent", None) == 2 or kind == "Mul" and len(below) == 2 and below[0] is not None and below[0] is below[1]:
            found = _difference("normal", node, below[0], scales)
        elif kind == "Abs":
            found = _difference("laplace", node, below[0], scales)
        if found is not None:
            found.sign, found.scales = sign, found.scales + scales
            return found
        scaled = parameter_penalty.scaled(node, kind) if kind in ("Mul", "Div") else None
        if kind == "Neg":
            node, sign = below[0], -sign
        elif kind in SHAPES and kind != "AccumulateGrad" and below:
            node = below[0]
        elif scaled is not None:
            node, sign = scaled[0], sign if scaled[1] > 0 else -sign
        elif kind == "Div" and len(below) == 2 and below[0] is not None:
            if below[1] is not None:
                scales.append((below[1], -1))
            elif not _even(graph.saved(node, "other")):
                return None
            node = below[0]
        elif kind == "Mul" and len(below) == 2:
            at = next((i for i in (0, 1) if below[i] is not None and _has_errors(below[i])), None)
            if at is None:
                return None
            if below[1 - at] is not None:
                scales.append((below[1 - at], 1))
            elif not _even(graph.saved(node, "other" if at == 0 else "self")):
                return None
            node = below[at]
        else:
            return None
    return None


def _has_errors(node):
    """Whether a factor is squares or magnitudes, or a multiple of them."""
    for _ in range(4):
        if node is None:
            return False
        kind = base(node)
        if kind == "Pow" and getattr(node, "_saved_exponent", None) == 2 or kind == "Abs":
            return _difference("", node, node.next_functions[0][0], []) is not None
        if kind == "Mul" and node.next_functions[0][0] is not None and len(node.next_functions) == 2 and node.next_functions[0][0] is node.next_functions[1][0]:
            return _difference("", node, node.next_functions[0][0], []) is not None
        scaled = parameter_penalty.scaled(node, kind) if kind in ("Mul", "Div") else None
        if scaled is not None:
            node = scaled[0]
        elif kind == "Neg" or kind in SHAPES and kind != "AccumulateGrad" and node.next_functions:
            node = node.next_functions[0][0]
        else:
            return False
    return False


def _difference(kind, node, below, scales):
    """Errors of a node that takes squares or magnitudes of a difference with a constant, which may be divided by a scale before; None of others."""
    if below is None:
        return None
    name, sides = base(below), [n for n, _ in below.next_functions]
    if name == "Sub":
        return Errors(kind, below, graph.saved(node, "self")) if _from_constant(below) else None
    if name not in ("Mul", "Div") or len(sides) != 2:
        return None
    for at in (0, 1) if name == "Mul" else (0,):
        if sides[at] is not None and base(sides[at]) == "Sub" and _from_constant(sides[at]):
            value = graph.saved(below, "other" if at else "self") if sides[1 - at] is not None else None
            found = Errors(kind, sides[at], value)
            if sides[1 - at] is not None:
                found.scales.append((sides[1 - at], 1 if name == "Mul" else -1))
            elif not _even(graph.saved(below, "self" if at else "other")):
                return None
            return found
    return None


def _from_constant(node):
    sides = [n for n, _ in node.next_functions]
    return len(sides) == 2 and (sides[0] is None) != (sides[1] is None) and getattr(node, "_saved_alpha", 1) == 1


def _prediction(difference):
    return next(n for n, _ in difference.next_functions if n is not None)


def _even(weight):
    """Whether a constant weighs all places alike, and is positive."""
    if weight is None or not 0 < weight.numel() <= _WEIGHT or weight.is_complex() or not summary.readable(weight) or weight.device.type != "cpu":
        return False
    with torch.no_grad():
        least, most = float(weight.min()), float(weight.max())
    return 0 < least == most


def _down(node, way):
    """[(node, 1 where what it gives makes the term larger, -1 where smaller)] down to the first operation that is not of one number and monotonous; of squares of a scale, which is positive."""
    out = []
    for _ in range(_STEPS):
        if node is None:
            break
        out.append((node, way))
        kind = base(node)
        below = [n for n, _ in node.next_functions]
        there = [n for n in below if n is not None]
        scaled = parameter_penalty.scaled(node, kind) if kind in ("Mul", "Div") else None
        if scaled is not None:
            way = way if scaled[1] > 0 else -way
        elif kind in _FALLS or kind == "Sub" and below[0] is None or kind == "Div" and below[0] is None:
            way = -way
        elif kind == "Pow":
            way = way if getattr(node, "_saved_exponent", 0) > 0 else -way
        elif kind == "Mul" and len(below) == 2 and below[0] is below[1]:
            there = there[:1]
        elif kind not in _RISES and kind not in ("Add", "Sub") and (kind not in SHAPES or kind == "AccumulateGrad"):
            break
        if len(there) != 1:
            break
        node = there[0]
    return out


def _tied(one, other):
    """The product of both directions at the first node that two ways have in common; None without one."""
    for node, way in one:
        for there, back in other:
            if node is there:
                return way * back
    return None
