"""Overlap losses (Dice, Jaccard, Tversky) in a graph: what they take for probabilities, and whether they grow with the overlap.

Such a loss is a quotient: of the sum of predictions times a mask above, and of
sums of the same predictions below. Read before backward; no reference to the
graph is kept.
"""

import torch

from vigil._torch import graph, loss_addends, operations, parameter_penalty, summary

_ABOVE = frozenset(("Mean", "Sum", "Sub", "Rsub", "Neg", "Add", "Mul", "Log"))  # between the loss and the quotient
_WITHIN = frozenset(("Add", "Sub", "Rsub", "Mul", "Sum", "Mean", "Clamp", "ClampMin", "Pow"))  # between the quotient and the predictions
_MOST = 256  # nodes that are looked at
_MASK = 1 << 16  # numbers of a mask that are read


def of(loss):
    """(neutral name of the operation that gives the predictions, whether the loss grows with the overlap); None where the loss below this node is none of these."""
    name, grows = None, []
    for quotient, sign, alone in _quotients(loss):
        above, under = (n for n, _ in quotient.next_functions)
        masked = _masked(above)
        summed = _summed(under) if masked else ()
        alone = alone and _has_constant(under)
        for node, within, mask in masked:
            if node in summed:
                name = name or operations.neutral(node)
                grows.append(sign * within > 0 and (alone or _is_label(mask, loss)))
    return None if name is None else (name, all(grows))


def _has_constant(node):
    """Whether something that has no gradient is added: the sum of a mask. The mean of a mask, weighted by predictions, has nothing but their sum there."""
    return any(operations.base(one) == "Add" and None in [n for n, _ in one.next_functions] for one, _, _ in _reached(node))


def _is_label(mask, loss):
    """Whether a loss for yes and no, or for classes, is another term, and the mask is its label: overlap with it is what is wanted."""
    for _, found in loss_addends.find(loss, ()):
        label = found[1]
        if label.numel() == mask.numel() and bool((label.detach().reshape(-1) == mask.reshape(-1)).all()):
            return True
    return False


def _quotients(node):
    """(quotient, sign that it has in the loss, 0 when not known, whether nothing is added to it but numbers) of each."""
    stack, seen = [(node, 1, True)], []
    while stack and len(seen) < _MOST:
        node, sign, alone = stack.pop()
        if node is None or node in seen:
            continue
        seen.append(node)
        kind = operations.base(node)
        below = [n for n, _ in node.next_functions]
        if kind == "Div" and len(below) == 2 and None not in below:
            yield node, sign, alone
        elif kind in _ABOVE or kind == "Div" or kind in operations.SHAPES:
            if kind in ("Mul", "Div"):
                scaled = parameter_penalty.scaled(node, kind)
                sign = 0 if scaled is None else sign if scaled[1] > 0 else -sign
            alone = alone and len([n for n in below if n is not None]) < 2
            stack.extend((n, _turned(kind, i, sign), alone) for i, n in enumerate(below))


def _turned(kind, i, sign):
    """The sign of the i-th operand, in what has this sign."""
    return -sign if kind in ("Neg", "Rsub") or kind == "Sub" and i == 1 else sign


def _reached(node):
    """Nodes below ``node`` with nothing but sums and products between, each with the sum it was met under, if any, and its sign."""
    stack, seen = [(node, None, 1)], []
    while stack and len(seen) < _MOST:
        node, total, sign = stack.pop()
        if node is None or any(one[0] is node for one in seen):
            continue
        seen.append((node, total, sign))
        kind = operations.base(node)
        if kind in _WITHIN or kind in operations.SHAPES:
            total = node if kind in ("Sum", "Mean") else total
            scaled = parameter_penalty.scaled(node, kind) if kind == "Mul" else None
            if scaled is not None and scaled[1] < 0:
                sign = -sign
            stack.extend((n, total, _turned(kind, i, sign)) for i, (n, _) in enumerate(node.next_functions))
    return seen


def _masked(node):
    """(what is multiplied by a mask of zeros and ones and summed, its sign, the mask) of each."""
    out = []
    for one, total, sign in _reached(node):
        if total is None or operations.base(one) != "Mul" or len(one.next_functions) != 2:
            continue
        below = [n for n, _ in one.next_functions]
        if (below[0] is None) == (below[1] is None):
            continue
        mask = graph.saved(one, "self" if below[0] is None else "other")
        found = operations.through(below[0] or below[1]) if _is_mask(mask) else None
        if found is not None:
            out.append((found, sign, mask))
    return out


def _summed(node):
    """What is summed as it is, or squared."""
    out = []
    for one, total, _ in _reached(node):
        if total is not None and operations.base(one) not in _WITHIN and operations.base(one) not in operations.SHAPES:
            out.append(one)
    return out


def _is_mask(tensor):
    if tensor is None or tensor.numel() < 2 or tensor.device.type != "cpu" or not summary.readable(tensor):
        return False
    with torch.no_grad():
        x = tensor.detach().reshape(-1)[:_MASK]
        return bool(((x == 0) | (x == 1)).all())
