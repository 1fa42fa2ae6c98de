"""Where a loss compares a column with a row, each with each.

Read from the autograd graph before backward; no reference to it is kept.
"""

from vigil._torch import graph
from vigil._torch.operations import SHAPES, WEIGHTED, base, leaf_of, neutral, shape_of

_MOST = 200  # nodes of a loss that are looked at
_CHANGES = frozenset(("sub", "mul", "div"))
_ERRORS = ("binary_cross_entropy_with_logits", "xlogy")  # those of a distribution, which stretches what it compares before


def of(node, at, saved=False):
    """{at, from, to} where a column and a constant row, or a row and a constant column, became a square.

    None otherwise, and where PyTorch does not tell shapes. saved: the node
    keeps the constant; then its shape counts, too.
    """
    given = [(n, i) for n, i in node.next_functions if n is not None]
    if len(given) != 1 or len(node.next_functions) != 2:
        return None
    before, after = shape_of(*given[0]), shape_of(node, 0)
    if not _squared(before, after):
        return None
    if saved:
        other = graph.saved(node, "self" if node.next_functions[0][0] is None else "other")
        if other is None or list(other.shape) != (before[:1] if len(before) == 2 else before + [1]):
            return None
    return {"at": at, "from": before, "to": after}


def _squared(before, after):
    """Whether a column or a row of two or more became a square."""
    return bool(before and after) and before[0] > 1 and before[1:] in ([], [1]) and after == [before[0], before[0]]


def aside(start, most):
    """The same on any way from a loss down to the first operation that uses a parameter, with that way: {at, from, to, way}.

    A column that was made of a row right there is meant to meet one. most: operations of a way.
    """
    queue, seen = [(start, ())], []  # the id of a node that is gone may come again
    known = set()
    while queue and len(seen) < _MOST:
        node, way = queue.pop(0)
        kind = base(node)
        if kind == "AccumulateGrad" or id(node) in known and kind != "Expand":  # which depends on what took it
            continue
        known.add(id(node))
        seen.append(node)
        below = [n for n, _ in node.next_functions if n is not None]
        if kind == "Expand" and way and way[-1] in _ERRORS and below and _squared(shape_of(*node.next_functions[0]), shape_of(node, 0)):
            return {"at": len(way) - 1, "from": shape_of(*node.next_functions[0]), "to": shape_of(node, 0), "way": list(way) + _down(below[0], most)}
        if kind not in SHAPES:
            name = neutral(node)
            found = of(node, len(way), name in ("mul", "div")) if name in _CHANGES and base(below[0]) != "Unsqueeze" else None
            way += (name,)
            if found is not None:
                return dict(found, way=list(way) + _down(below[0], most))
            if name in WEIGHTED or len(way) >= most or any(leaf_of(n) is not None for n in below):
                continue
        queue.extend((n, way) for n in below)
    return None


def _down(node, most):
    """The operations from a node down to the first that uses a parameter, the first branch at each."""
    out = []
    for _ in range(4 * most):
        if node is None or base(node) == "AccumulateGrad" or len(out) >= most:
            break
        below = [n for n, _ in node.next_functions if n is not None]
        if base(node) not in SHAPES:
            out.append(neutral(node))
            if out[-1] in WEIGHTED or any(leaf_of(n) is not None for n in below):
                break
        node = below[0] if below else None
    return out
