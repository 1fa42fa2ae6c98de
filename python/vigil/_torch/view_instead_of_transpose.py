"""Views that name two axes again where they should have been exchanged.

``view`` and ``reshape`` leave values where they are: what was (samples, steps, …)
and is viewed as (steps, samples, …) holds pieces of several samples in each
sequence, and (samples, length, channels) viewed as (samples, channels, length) a
mix of all channels in each. Told is what the layers are given of the model's
input, and what the autograd graph holds between layers. The views by which
attention to relative places is shifted, after a row or column was added, are
none.
"""

import torch

from vigil._torch import summary
from vigil._torch.operations import SHAPES, WEIGHTED, base, leaf_of, neutral, shape_of

MOST_VALUES = 1 << 21  # that are compared
MOST_NODES = 4000
_VIEWS = frozenset(("View", "UnsafeView", "Reshape", "ReshapeAlias", "Unflatten"))
_REORDER = frozenset(("Index", "IndexSelect", "Gather", "Flip", "Roll"))
_LAYERS = frozenset(("linear", "convolution", "recurrent"))


class Given(object):
    """What the model was called with, while its forward runs, and what its layers got of that."""

    def __init__(self):
        self.model = []
        self.axes = []  # the first two of each tensor that the model was given, if they differ
        self.rows = set()  # (samples, steps) of those that a layer got with both axes made one
        self.found = None  # RenamedFact

    def begins(self, tensors):
        for x in tensors:
            if x.dim() >= 2 and 1 < x.shape[0] != x.shape[1] > 1:
                self.model.append(x.detach())
                self.axes.append((int(x.shape[0]), int(x.shape[1])))

    def forget(self):
        self.model = []

    def layer(self, path, kind, given):
        """A layer with weights is called."""
        x = next((t for t in given if isinstance(t, torch.Tensor)), None)
        if x is None or not self.model or not summary.readable(x):
            return
        for g in self.model:
            if not summary.readable(g) or x.numel() != g.numel() or x.dtype is not g.dtype or tuple(x.shape) == tuple(g.shape):
                continue
            if x.shape[0] == g.shape[0] * g.shape[1]:
                if _in_order(x, g):
                    self.rows.add((int(g.shape[0]), int(g.shape[1])))
            elif self.found is None and kind in _LAYERS and exchanged(g.shape, x.shape) and _in_order(x, g) and _varies(g):
                self.found = {"from": list(g.shape), "to": list(x.shape), "at": path, "samples": x.shape[0] != g.shape[0]}


def exchanged(before, after):
    """Whether two axes have got each other's lengths. Those of length one do not count."""
    before, after = [int(n) for n in before if n != 1], [int(n) for n in after if n != 1]
    return len(before) > 1 and before != after and sorted(before) == sorted(after)


def _varies(x):
    return x.device.type != "cpu" or bool((x != x.reshape(-1)[0]).any())


def _in_order(x, g):
    """Whether x has the values of g in the same order, read row by row."""
    if x.is_contiguous() and g.is_contiguous() and x.data_ptr() == g.data_ptr():
        return True
    if x.device.type != "cpu" or g.device.type != "cpu" or x.numel() > MOST_VALUES:
        return False
    with torch.no_grad():
        return bool(torch.equal(x.detach().reshape(-1), g.reshape(-1)))


def between(nodes, given):
    """RenamedFact of the first view among ``nodes`` that mixes samples, the places that heads of attention see, the channels of a convolution, or the classes of a loss; None without one."""
    above = {}
    for node in nodes:
        for n, _ in node.next_functions:
            if n is not None:
                above.setdefault(id(n), []).append(node)
    for node in nodes:
        if base(node) not in _VIEWS:
            continue
        before, after = _sizes(node), shape_of(node, 0)
        if not before or not after or len(after) < 2:
            continue
        if _heads(node, before, after, above):
            return {"from": before, "to": after, "at": "attention", "samples": False}
        over = _above(node, above)
        if _mixes(node, before, after, given):
            return {"from": before, "to": after, "at": over or "", "samples": True}
        if over == "convolution" and len(before) == len(after) and before[0] == after[0] and exchanged(before[1:], after[1:]) and not _made_longer(node):
            return {"from": before, "to": after, "at": over, "samples": False}
        if _rows_of_channels(node, before, after) and _scored(node, above) == 1:
            return {"from": before, "to": after, "at": "the loss", "samples": False}
        if len(before) == len(after) > 2 and before[0] == after[0] and exchanged(before[1:], after[1:]):
            at = _classes(node, before, after, above)
            if at is not None:
                return {"from": before, "to": after, "at": at, "samples": False}
    return None


def _heads(node, before, after, above):
    """Whether a view divides what a layer gives for each place of a sequence into heads, and puts the heads before the places, of what attention compares."""
    if len(before) != 3:
        return False
    samples, places, units = before
    if len(after) == 4:
        heads, same = after[1], after[0] == samples and after[2] == places
    elif len(after) == 3 and samples > 1:
        heads, same = after[0] // samples, after[0] % samples == 0 and after[1] == places
    else:
        return False
    return same and 1 < heads != places > 1 and heads * after[-1] == units and after[-1] > 1 and _projected(node) and _compared(node, above)


def _projected(node):
    """Whether a node has what a linear layer gives, or a part of its units."""
    node = node.next_functions[0][0]
    for _ in range(8):
        if node is None or leaf_of(node) is not None:
            return False
        if neutral(node) in ("linear", "matmul"):
            return True
        below = [n for n, _ in node.next_functions]
        if base(node) == "Add" and len(below) == 2:  # a bias
            below = [n for n in below if n is not None and leaf_of(n) is None]
        elif base(node) in ("Transpose", "Permute", "T") or base(node) not in SHAPES and base(node) != "Slice":
            return False
        if len(below) != 1:
            return False
        node = below[0]
    return False


def _compared(node, above):
    """Whether what a node gives is multiplied with another tensor, and softmax goes over the products: queries and keys."""
    stack, seen = [(node, False)], set()
    while stack and len(seen) < 48:
        node, product = stack.pop()
        for taker in above.get(id(node), ()):
            name = base(taker)
            if id(taker) in seen:
                continue
            seen.add(id(taker))
            if name.startswith("ScaledDotProduct") or product and name in ("Softmax", "SafeSoftmax"):
                return True
            if neutral(taker) == "matmul" and not product:
                stack.append((taker, True))
            elif name in SHAPES or name in ("Mul", "Div", "MaskedFill", "Where", "Add", "Sub", "Clamp"):
                stack.append((taker, product))
    return False


def _classes(node, before, after, above):
    """Where a view takes what a layer just gave for another axis: "the loss" whose classes are the last axis of a linear layer, "" after a convolution whose channels come last; None otherwise."""
    below = node.next_functions[0][0]
    if below is None:
        return None
    if neutral(below) == "convolution":
        return "" if before[1] == after[-1] and before[2:] == after[1:-1] else None
    while below is not None and base(below) in _VIEWS and shape_of(below, 0) and shape_of(below, 0)[-1] == before[-1]:
        below = below.next_functions[0][0]
    if below is None or neutral(below) != "linear":
        return None
    return "the loss" if _scored(node, above) == 1 and after[1] == before[-1] and after[2:] == before[1:-1] else None


def _rows_of_channels(node, before, after):
    """Whether what a convolution just gave is viewed as rows as long as it has channels, which are not those of a place."""
    below = node.next_functions[0][0]
    if below is None or neutral(below) != "convolution" or len(before) < 3 or len(after) != 2 or not 1 < before[1] == after[1]:
        return False
    places = after[0] // before[0]
    return places > 1 and before[1] not in (places, before[-1])


def _scored(node, above):
    """The axis over which log_softmax takes what a node gives, if nothing else takes it; None otherwise."""
    takers = above.get(id(node), ())
    if len(takers) != 1 or base(takers[0]) != "LogSoftmax":
        return None
    axis, axes = getattr(takers[0], "_saved_dim", None), shape_of(node, 0)
    if not isinstance(axis, int) or not axes:
        return None
    return (axis - (1 << 64) if axis >= 1 << 63 else axis) % len(axes)  # -1 is kept as the largest number


def _mixes(node, before, after, given):
    """Whether a view gives samples and steps each other's axes."""
    for samples, steps in given.axes:
        if before[0] == samples * steps:
            if tuple(after[:2]) == (steps, samples) and (samples, steps) in given.rows and _by_rows(node.next_functions[0][0], before[0]):
                return True
        elif len(before) > 2 and tuple(before[:2]) == (samples, steps) and tuple(after[:2]) == (steps, samples) and not _made_longer(node):
            return True
    return False


def _sizes(node):
    """The shape of what a view was given, or None."""
    sizes = getattr(node, "_saved_self_sym_sizes", None) or getattr(node, "_saved_self_sizes", None)
    return [int(n) for n in sizes] if sizes else shape_of(node.next_functions[0][0], 0) if node.next_functions[0][0] is not None else None


def _above(node, above):
    """The name of the only layer that takes what a node gives, whatever its shape is changed to; None of others, and of a weight."""
    for _ in range(4):
        takers = above.get(id(node), ())
        if len(takers) != 1:
            return None
        taker = takers[0]
        if base(taker) not in SHAPES:
            below = taker.next_functions
            return neutral(taker) if neutral(taker) in WEIGHTED and below and below[0][0] is node else None
        if base(taker) not in ("Unsqueeze", "Clone", "ToCopy", "Contiguous"):
            return None
        node = taker
    return None


def _made_longer(node):
    """Whether something was added to what a view is given, or cut from it, before."""
    below = node.next_functions[0][0]
    for _ in range(4):
        if below is None or leaf_of(below) is not None:
            return True
        if base(below) in ("Cat", "ConstantPad", "ConstantPadNd", "CopySlices"):
            return True
        if base(below) not in SHAPES:
            return False
        below = below.next_functions[0][0]
    return False


def _by_rows(start, rows):
    """Whether all that was computed below a node has that many rows, in the order in which the first layers got them."""
    stack, seen = [start], {}
    while stack:
        node = stack.pop()
        if node is None or id(node) in seen or leaf_of(node) is not None:
            continue
        if len(seen) >= MOST_NODES:
            return False
        seen[id(node)] = node
        name, shape = base(node), shape_of(node, 0)
        if name in _REORDER or not shape or shape[0] != rows:
            return False
        if name in ("Transpose", "Permute") and not _rows_stay(node):
            return False
        stack.extend(n for n, _ in node.next_functions)
    return bool(seen)


def _rows_stay(node):
    """Whether the axis of the rows stays the first where axes are exchanged."""
    if base(node) == "Transpose":
        axes = [getattr(node, "_saved_dim%d" % i, None) for i in (0, 1)]
        return all(isinstance(a, int) for a in axes) and 0 not in axes
    dims = getattr(node, "_saved_dims", None)
    return bool(dims) and dims[0] == 0
