"""How much dropout drops, read from an autograd graph."""

import torch

from vigil._torch import graph, summary
from vigil._torch.operations import base

_MASKS = 256  # products that are looked at for masks
_MASK = 8  # elements; of fewer nobody can tell


def most(nodes):
    """The largest share that dropout drops anywhere: 0 without dropout."""
    largest, looks = 0.0, 0
    for node in nodes:
        name = base(node)
        if name == "NativeDropout":
            p = getattr(node, "_saved_p", None)
            largest = max(largest, float(p)) if isinstance(p, (int, float)) else largest
        elif name == "Mul" and looks < _MASKS:
            looks += 1
            largest = max(largest, share(node) or 0.0)
    return largest


def share(node):
    """The share that a mask drops which dropout drew: zeros, and for all others what makes up for them. False of any other product.

    On some devices PyTorch drops in this way.
    """
    below = [n for n, _ in node.next_functions]
    if len(below) != 2 or (below[0] is None) == (below[1] is None):
        return False
    mask = graph.saved(node, "self" if below[0] is None else "other")
    if mask is None or mask.device.type != "cpu" or not mask.is_floating_point() or not summary.readable(mask) or mask.numel() < _MASK:
        return False
    with torch.no_grad():
        mask = summary.first(mask, 1 << 16)
        kept = float(mask.max())
        zeros, n = int((mask == 0).sum()), mask.numel()
        if not 1.0 < kept < float("inf") or zeros == 0 or zeros + int((mask == kept).sum()) != n:
            return False
        dropped = 1.0 - 1.0 / kept
        return dropped if abs(zeros - n * dropped) <= 1.0 + 5.0 * (n * dropped * (1.0 - dropped)) ** 0.5 else False
