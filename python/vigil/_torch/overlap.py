"""Overlap losses (Dice, Jaccard, Tversky) in a graph: what they take for probabilities.

Such a loss is a quotient: of the sum of predictions times a mask above, and of
sums of the same predictions below. Read before backward; no reference to the
graph is kept.
"""

import torch

from vigil._torch import graph, operations, summary

_ABOVE = frozenset(("Mean", "Sum", "Sub", "Rsub", "Neg", "Add", "Mul", "Log"))  # between the loss and the quotient
_WITHIN = frozenset(("Add", "Sub", "Rsub", "Mul", "Sum", "Mean", "Clamp", "ClampMin", "Pow"))  # between the quotient and the predictions
_MOST = 256  # nodes that are looked at
_MASK = 1 << 16  # numbers of a mask that are read


def of(loss):
    """Neutral name of the operation that gives the predictions, None where the loss below this node is none of these."""
    for quotient in _quotients(loss):
        above, under = (n for n, _ in quotient.next_functions)
        masked = _masked(above)
        summed = _summed(under) if masked else ()
        for node in masked:
            if node in summed:
                return operations.neutral(node)
    return None


def _quotients(node):
    stack, seen = [node], []
    while stack and len(seen) < _MOST:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.append(node)
        kind = operations.base(node)
        if kind == "Div" and len(node.next_functions) == 2 and all(n is not None for n, _ in node.next_functions):
            yield node
        elif kind in _ABOVE or kind == "Div" or kind in operations.SHAPES:
            stack.extend(n for n, _ in node.next_functions)


def _reached(node):
    """Nodes below ``node`` with nothing but sums and products between, each with the sum it was met under, if any."""
    stack, seen = [(node, None)], []
    while stack and len(seen) < _MOST:
        node, total = stack.pop()
        if node is None or any(n is node for n, _ in seen):
            continue
        seen.append((node, total))
        kind = operations.base(node)
        if kind in _WITHIN or kind in operations.SHAPES:
            total = node if kind in ("Sum", "Mean") else total
            stack.extend((n, total) for n, _ in node.next_functions)
    return seen


def _masked(node):
    """What is multiplied by a mask of zeros and ones, and summed."""
    out = []
    for one, total in _reached(node):
        if total is None or operations.base(one) != "Mul" or len(one.next_functions) != 2:
            continue
        below = [n for n, _ in one.next_functions]
        if (below[0] is None) != (below[1] is None) and _is_mask(graph.saved(one, "self" if below[0] is None else "other")):
            found = operations.through(below[0] or below[1])
            if found is not None:
                out.append(found)
    return out


def _summed(node):
    """What is summed as it is, or squared."""
    out = []
    for one, total in _reached(node):
        if total is not None and operations.base(one) not in _WITHIN and operations.base(one) not in operations.SHAPES:
            out.append(one)
    return out


def _is_mask(tensor):
    if tensor is None or tensor.numel() < 2 or tensor.device.type != "cpu" or not summary.readable(tensor):
        return False
    with torch.no_grad():
        x = tensor.detach().reshape(-1)[:_MASK]
        return bool(((x == 0) | (x == 1)).all())
