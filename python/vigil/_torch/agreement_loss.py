"""A loss that wants two outputs of one network to agree and nothing else: the same output for every sample is its best.

Read before backward; no reference to the graph is kept.
"""

from vigil._torch import graph, summary
from vigil._torch.cosine_logits import of_length_one
from vigil._torch.operations import SHAPES, WEIGHTED, base, neutral, through

_MOST = 4096  # nodes of one side
_TERMS = 64


def alone(loss):
    """Whether the loss below this node is a sum of cosines between outputs, all to become larger, whose both sides train a weight that they share."""
    found = 0
    stack = [(loss, 1)]
    for _ in range(_TERMS):
        if not stack:
            return found > 0
        node, sign = stack.pop()
        if node is None:
            return False
        kind = base(node)
        below = [n for n, _ in node.next_functions]
        sides = _sides(node) if kind == "Sum" else None
        if sides is not None:
            if sign > 0 or not _shared(*sides):
                return False
            found += 1
        elif kind in SHAPES or kind in ("Mean", "Sum"):
            stack.append((below[0] if below else None, sign))
        elif kind in ("Neg", "Rsub"):
            stack.append((below[0], -sign))
        elif kind in ("Add", "Sub"):
            there = [(n, -sign if kind == "Sub" and i else sign) for i, n in enumerate(below) if n is not None]
            if not there:
                return False
            stack.extend(there)
        elif kind in ("Mul", "Div"):
            stack.append(_scaled(node, below, sign))
        else:
            return False
    return False


def _scaled(node, below, sign):
    """What a number multiplies or divides, and the sign then; (None, 0) where it is no number, or one that is not known."""
    there = [i for i, n in enumerate(below) if n is not None]
    if len(there) != 1 or base(node) == "Div" and there[0]:
        return None, 0
    number = graph.saved(node, "self" if there[0] else "other")
    if number is None or number.numel() != 1 or not summary.readable(number) or number.device.type != "cpu":
        return None, 0
    return below[there[0]], sign if float(number) > 0 else -sign


def _sides(node):
    """What a cosine is taken of: two results of layers, each divided by its length. None where ``node`` gives no such cosines."""
    product = through(node.next_functions[0][0])
    if product is None or base(product) != "Mul" or len(product.next_functions) != 2:
        return None
    sides = [through(of_length_one(n)) for n, _ in product.next_functions]
    return sides if all(n is not None and neutral(n) in WEIGHTED for n in sides) else None


def _shared(a, b):
    """Whether both nodes reach a parameter, the same one."""
    a, b = _leaves(a), _leaves(b)
    return a is not None and b is not None and not a.isdisjoint(b)


def _leaves(node):
    seen, stack, leaves = {id(node): node}, [node], set()
    while stack:
        node = stack.pop()
        if base(node) == "AccumulateGrad":
            leaves.add(id(node.variable))
        for n, _ in node.next_functions:
            if n is not None and id(n) not in seen:
                if len(seen) >= _MOST:
                    return None
                seen[id(n)] = n
                stack.append(n)
    return leaves
