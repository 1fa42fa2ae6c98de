"""Which way a loss that the script writes out with logarithms of probabilities moves them.

Read before backward; no reference to the graph is kept.
"""

import torch

from vigil._torch import graph, summary
from vigil._torch.operations import SHAPES, base

_TERMS = 256
_PICKS = frozenset(("Index", "IndexSelect", "Gather", "Select", "Slice", "MaskedSelect", "MaskedFill", "Take"))
_SUMS = frozenset(("Mean", "Sum", "Nansum", "Nanmean"))
_LOGS = frozenset(("LogSoftmax", "LogSigmoid"))
_CHANCES = frozenset(("Softmax", "Sigmoid"))
_BESIDE = frozenset(("Clamp", "ClampMin", "ClampMax", "Add", "Sub", "Rsub", "Neg"))  # 1 - p, and what keeps it from being 0
_MASK = 1 << 20  # numbers of a weight that are read


def signs(loss):
    """{larger, smaller, one}: how many logarithms of probabilities the loss makes larger and smaller, and whether all are of one result; None where it is made of anything else.

    Weights from 0 to 1, such as labels and masks, keep a sign; those beyond may be worths, and end the search.
    """
    larger = smaller = 0
    of = set()
    stack = [(loss, 1)]
    for _ in range(_TERMS):
        if not stack:
            return {"larger": larger, "smaller": smaller, "one": len(of) == 1} if of else None
        node, sign = stack.pop()
        if node is None:
            return None
        kind = base(node)
        below = [n for n, _ in node.next_functions]
        chance = _chance(node, kind, below)
        if chance is not None:
            of.add(chance)  # the node itself: one that is let go of is another object when it is met again
            larger, smaller = larger + (sign < 0), smaller + (sign > 0)
        elif kind in SHAPES or kind in _SUMS or kind in _PICKS:
            stack.append((below[0] if below else None, sign))
        elif kind in ("Neg", "Rsub"):
            stack.append((below[0], -sign))
        elif kind in ("Add", "Sub"):
            there = [(n, -sign if kind == "Sub" and i else sign) for i, n in enumerate(below) if n is not None]
            if not there:
                return None
            stack.extend(there)
        elif kind in ("Mul", "Div"):
            stack.append(_weighed(node, kind, below, sign))
        else:
            return None
    return None


def _chance(node, kind, below):
    """The node of the probabilities of which ``node`` gives logarithms; None where it does not."""
    if kind in _LOGS:
        return below[0]
    if kind not in ("Log", "LogP"):
        return None
    node = below[0] if below else None
    for _ in range(12):
        if node is None:
            return None
        kind = base(node)
        if kind in _CHANCES:
            return node.next_functions[0][0] or node
        if kind not in SHAPES and kind not in _PICKS and kind not in _BESIDE:
            return None
        there = [n for n, _ in node.next_functions if n is not None]
        node = there[0] if len(there) == 1 else None
    return None


def _weighed(node, kind, below, sign):
    """What is multiplied by weights from 0 to 1 or by one number, or divided by a number, and the sign then; (None, 0) otherwise."""
    there = [i for i, n in enumerate(below) if n is not None]
    if len(there) != 1 or kind == "Div" and there[0]:
        return None, 0
    weight = graph.saved(node, "self" if there[0] else "other")
    if weight is None or not weight.numel() or weight.numel() > _MASK or weight.is_complex() or not summary.readable(weight) or weight.device.type != "cpu":
        return None, 0
    with torch.no_grad():
        least, most = float(weight.min()), float(weight.max())
    if weight.numel() == 1 and least != 0:
        return below[there[0]], sign if least > 0 else -sign
    return (below[there[0]], sign) if kind == "Mul" and least >= 0 and most <= 1 else (None, 0)
