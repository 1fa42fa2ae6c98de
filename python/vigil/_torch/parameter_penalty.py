"""What a script adds to its loss of the parameters themselves: squares, magnitudes or norms, times a factor.

Read from the autograd graph before backward; no reference to it is kept.
"""

import torch

from vigil._torch import graph, operations, summary

_MOST = 4096  # nodes that are looked at
_JOINED = frozenset(("Cat", "Stack"))


class _Other(Exception):
    """An operation that has no part in such a penalty."""


def find(node):
    """[(kind, parameter, factor)] of what is added to the loss below ``node``; kind is l2, l1 or norm.

    A term factor * sum(p * p) is l2, factor * sum(|p|) is l1, factor * the Euclidean norm of p is norm.
    """
    out, stack, left = [], [(node, 1.0, False)], [_MOST]
    while stack and left[0] > 0:
        node, factor, added = stack.pop()
        if node is None:
            continue
        left[0] -= 1
        name = operations.base(node)
        if added:
            try:
                out.extend(_terms(node, factor, left))
                continue
            except _Other:
                pass
        if name == "Add":
            first, second = (n for n, _ in node.next_functions)
            stack.append((first, factor, True))
            stack.append((second, factor * float(getattr(node, "_saved_alpha", 1)), True))
        elif name in operations.SHAPES and name != "AccumulateGrad":
            stack.append((node.next_functions[0][0], factor, added))
        elif name in ("Mul", "Div"):
            product = scaled(node, name)
            if product is not None:
                stack.append((product[0], factor * product[1], added))
    return out


def _terms(node, factor, left):
    """What ``find`` gives of one term, which must be made of parameters alone."""
    out, stack = [], [(node, factor)]
    while stack:
        node, factor = stack.pop()
        left[0] -= 1
        if node is None or left[0] <= 0:
            if node is None:
                continue
            raise _Other
        name = operations.base(node)
        below = [n for n, _ in node.next_functions]
        if name == "Add":
            stack.append((below[0], factor))
            stack.append((below[1], factor * float(getattr(node, "_saved_alpha", 1))))
        elif name in ("Mul", "Div") and len(below) == 2 and name == "Mul" and below[0] is not None and below[1] is not None:
            leaf = operations.leaf_of(below[0])
            if leaf is None or operations.leaf_of(below[1]) is not leaf:
                raise _Other
            out.append(("l2", leaf, factor))
        elif name in ("Mul", "Div"):
            product = scaled(node, name)
            if product is None:
                raise _Other
            stack.append((product[0], factor * product[1]))
        elif name in ("Sum", "Stack", "Cat"):
            stack.extend((n, factor) for n in below)
        elif name == "Mean":
            n = getattr(node, "_saved_self_sym_numel", None) or getattr(node, "_saved_self_numel", None)
            if not n:
                raise _Other
            stack.append((below[0], factor / int(n)))
        elif name == "Pow" and getattr(node, "_saved_exponent", None) == 2:
            out.extend(("l2", p, factor) for p in _parameters(below[0], norms=True))
        elif name == "Abs":
            out.extend(("l1", p, factor) for p in _parameters(below[0]))
        elif name in ("Norm", "LinalgVectorNorm"):
            out.extend((_order(node), p, factor) for p in _parameters(below[0]))
        elif name in operations.SHAPES and name != "AccumulateGrad":
            stack.append((below[0], factor))
        else:
            raise _Other
    return out


def _order(node):
    order = getattr(node, "_saved_p", None)
    if order is None:
        order = getattr(node, "_saved_ord", None)
    if isinstance(order, torch.Tensor):
        order = order.item()
    if order not in (1, 2):
        raise _Other
    return "norm" if order == 2 else "l1"


def _parameters(node, norms=False):
    """The parameters that ``node`` is, or joins. norms: it may be their Euclidean norm as well."""
    if norms and node is not None and operations.base(node) in ("Norm", "LinalgVectorNorm") and _order(node) == "norm":
        node = node.next_functions[0][0]
    joined = node
    while joined is not None and operations.base(joined) in operations.SHAPES and operations.base(joined) != "AccumulateGrad":
        joined = joined.next_functions[0][0]
    parts = [n for n, _ in joined.next_functions] if joined is not None and operations.base(joined) in _JOINED else [node]
    leaves = [operations.leaf_of(n) for n in parts]
    if not leaves or not all(isinstance(p, torch.nn.Parameter) or p is not None and p.dim() > 1 for p in leaves):
        raise _Other
    return leaves


def scaled(node, name):
    """(node that is scaled, by how much) of a product with a number that the CPU knows; None of others."""
    below = [n for n, _ in node.next_functions]
    if len(below) == 2 and below[0] is None and name == "Mul":
        other, at = graph.saved(node, "self"), below[1]
    elif len(below) == 1 or below[1] is None:
        other, at = graph.saved(node, "other"), below[0]
    else:
        return None
    if not isinstance(other, torch.Tensor) or other.numel() != 1 or other.device.type != "cpu":
        return None
    other = float(other.item())
    return None if other == 0 or other != other else (at, 1.0 / other if name == "Div" else other)


class Penalty(object):
    """The penalty of one loss: PenaltyFacts once the numbers are read."""

    def __init__(self, terms, numbers):
        self.tensors = len({id(p) for _, p, _ in terms})
        with torch.no_grad():
            pulls, kinds = {}, {}
            for kind, p, factor in terms:
                x = p.detach().to(summary.precise(p))
                pull = factor * (2 * x if kind == "l2" else x.sign() if kind == "l1" else x / x.norm().clamp(min=1e-30))
                pulls[id(p)] = pulls[id(p)] + pull if id(p) in pulls else pull
                kinds.setdefault(kind, []).append(factor)
            self.kind = max(kinds, key=lambda k: len(kinds[k]))
            self.factor = sorted(kinds[self.kind])[len(kinds[self.kind]) // 2]
            self.place = numbers.put(torch.stack([x.pow(2).sum() for x in pulls.values()]))

    def gather(self, numbers):
        return {"kind": self.kind, "factor": summary.number(self.factor), "pull": summary.number(sum(numbers[self.place]) ** 0.5), "tensors": self.tensors}


def of(node, numbers):
    """Penalty of the loss below ``node``, or None."""
    terms = [t for t in find(node) if summary.readable(t[1]) and t[1].is_floating_point()]
    return Penalty(terms, numbers) if terms else None
