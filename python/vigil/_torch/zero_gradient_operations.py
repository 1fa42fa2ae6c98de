"""Operations without a slope between a loss and parameters, such as round and sign.

Read from the autograd graph before backward; no reference to it is kept.
"""

from vigil._torch.operations import base

# Name of a node -> what people call it. A straight-through estimator leaves none of them in a graph: it adds what is detached, or has a function of its own.
_FLAT = {"Round": "round", "Sign": "sign", "Sgn": "sgn", "Floor": "floor", "Ceil": "ceil", "Trunc": "trunc", "Bernoulli": "bernoulli", "Poisson": "poisson"}


def name(node):
    """What people call the operation of a node whose gradient is zero everywhere; None of another."""
    kind = base(node)
    if kind == "Div" and getattr(node, "_saved_rounding_mode", None):
        return "div(rounding_mode)"
    return _FLAT.get(kind)


def behind(nodes, below, ends):
    """(names of the operations, ids of the leaves that no way leads to but through one).

    nodes: each before those below it; below: id of a node -> ids of those below; ends: id of the node of a leaf -> the leaf.
    """
    named = {id(n): name(n) for n in nodes}
    if not nodes or not any(named.values()):
        return (), set()
    open_, after = {id(nodes[0])}, {}  # after: id of a node -> the operation that it is behind
    for n in nodes:
        at = id(n)
        said = named[at] or after.get(at)
        for c in below.get(at, ()):
            if at in open_ and not named[at]:
                open_.add(c)
            elif said:
                after.setdefault(c, said)
    shut = [at for at in ends if at not in open_ and at in after]
    return tuple(sorted({after[at] for at in shut})), {id(ends[at]) for at in shut}
