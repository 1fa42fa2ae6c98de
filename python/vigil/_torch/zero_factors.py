"""Products with a constant of zeros, read from an autograd graph: no gradient comes through them."""

from vigil._torch import graph, summary
from vigil._torch.operations import base

_LOOKS = 256  # products that are looked at
_MOST = 4096  # elements of a constant


def count(nodes):
    """How many products have a side that is no result of anything trained, and is zero throughout."""
    found = looks = 0
    for node in nodes:
        if base(node) == "Mul" and looks < _LOOKS:
            looks += 1
            found += _zero(node)
    return found


def _zero(node):
    below = [n for n, _ in node.next_functions]
    if len(below) != 2 or (below[0] is None) == (below[1] is None):
        return False
    other = graph.saved(node, "self" if below[0] is None else "other")
    if other is None or other.device.type != "cpu" or not summary.readable(other) or not 0 < other.numel() <= _MOST:
        return False
    return not bool(other.detach().any())
