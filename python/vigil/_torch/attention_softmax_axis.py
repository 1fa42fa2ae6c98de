"""Attention whose softmax goes over another axis than the one that is summed over afterwards.

Each query is to get a mean of the values, whose weights add up to one over the
keys. Read are maps of a sequence to itself that stand left of the values. What
is divided once more (slots, offset attention) or multiplied by another such map
is left alone, and so is what is no comparison of two computed tensors.
"""

from vigil._torch.operations import base, by_weight, shape_of

_PLACES = 4  # the least length
_STEPS = 10  # nodes between a product and the softmax, and between that and the comparison
_KEPT = frozenset(("View", "UnsafeView", "ReshapeAlias", "Expand", "Clone", "ToCopy", "NativeDropout", "FusedDropout"))
_SCORED = frozenset(("Div", "Mul", "MaskedFill", "Add", "Sub", "Where", "Clamp", "ToCopy", "View", "UnsafeView", "ReshapeAlias", "Expand", "Clone"))


def count(nodes):
    """How many maps among ``nodes`` do not add up to one over what is summed over."""
    return sum(1 for node in nodes if base(node) == "Bmm" and _wrong(node))


def _wrong(product):
    below = [n for n, _ in product.next_functions]
    if len(below) != 2:
        return False
    softmax = _softmax(below[0])
    if softmax is None or _softmax(below[1]) is not None:
        return False
    shape, axis = shape_of(softmax, 0), getattr(softmax, "_saved_dim", None)
    if shape is None or len(shape) < 3 or shape[-1] != shape[-2] or shape[-1] < _PLACES or not isinstance(axis, int):
        return False
    axis = axis - (1 << 64) if axis >= 1 << 63 else axis  # some releases show it without its sign
    return axis % len(shape) != len(shape) - 1 and _compared(softmax.next_functions[0][0])


def _softmax(node):
    """The softmax that gave the operand of a product, its last two axes as they were; None without one."""
    for _ in range(_STEPS):
        if node is None:
            return None
        name = base(node)
        if name == "Softmax":
            return node
        below = [n for n, _ in node.next_functions if n is not None]
        if len(below) != 1 or name != "Mul" and name not in _KEPT:
            return None
        ours, theirs = shape_of(node, 0), shape_of(below[0], 0)
        if ours is None or theirs is None or ours[-2:] != theirs[-2:]:
            return None
        node = below[0]
    return None


def _compared(node):
    """Whether scores are products of two computed tensors, scaled and masked."""
    for _ in range(_STEPS):
        if node is None:
            return False
        name = base(node)
        if name in ("Bmm", "Baddbmm"):
            return not by_weight(node)
        below = [n for n, _ in node.next_functions if n is not None]
        if name not in _SCORED or not below:
            return False
        node = below[0]
    return False
