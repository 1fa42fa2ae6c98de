"""Over which axis the softmax that a loss is given goes, or the norm that outputs are divided by: classes, samples, or one entry."""

import torch

from vigil._torch import saved_tensor_hooks, summary
from vigil._torch.operations import SHAPES, WEIGHTED, base, neutral, shape_of, through


def over_samples(softmax):
    """Whether softmax of samples by classes goes over the samples."""
    shape, axis = shape_of(softmax, 0), getattr(softmax, "_saved_dim", None)
    if shape is None or len(shape) != 2 or shape[0] < 2 or not isinstance(axis, int):
        return False
    return axis in (0, -2, (1 << 64) - 2)  # some releases show it without its sign


def not_over_classes(softmax):
    """Whether log_softmax of time steps by samples by classes, just as ctc_loss takes it, goes over another axis than the last."""
    if softmax is None or base(softmax) != "LogSoftmax":
        return False
    shape, axis = shape_of(softmax, 0), getattr(softmax, "_saved_dim", None)
    if shape is None or len(shape) != 3 or not isinstance(axis, int):
        return False
    axis = axis - (1 << 64) if axis >= 1 << 63 else axis
    return axis % 3 != 2 and shape[axis] > 1


def picks_across(node):
    """Whether an entry of each row is picked of a log_softmax that goes over the rows. Not of squares, which are compared both ways."""
    softmax = through(node.next_functions[0][0])
    if softmax is None or base(softmax) != "LogSoftmax" or not over_samples(softmax):
        return False
    rows, columns = shape_of(softmax, 0)
    if rows == columns:
        return False
    if base(node) == "Gather":
        return getattr(node, "_saved_dim", None) in (1, (1 << 64) - 1)
    if any(saved_tensor_hooks.runs_code(i) for i in getattr(node, "_raw_saved_indices", None) or ()):
        return False
    try:
        at = getattr(node, "_saved_indices", None)
    except RuntimeError:
        return False  # changed in place since
    if not isinstance(at, (tuple, list)) or len(at) != 2 or any(not isinstance(i, torch.Tensor) for i in at):
        return False
    each = at[0]
    if each.dim() != 1 or each.shape[0] != rows or each.dtype is not torch.int64 or not summary.readable(each) or each.device.type != "cpu":
        return False
    with torch.no_grad():
        return bool((each == torch.arange(rows)).all())


def of_one(softmax):
    """Whether softmax goes over an axis of length one."""
    shape, axis = shape_of(softmax, 0), getattr(softmax, "_saved_dim", None)
    if not shape or not isinstance(axis, int):
        return False
    axis = axis - (1 << 64) if axis >= 1 << 63 else axis
    return -len(shape) <= axis < len(shape) and shape[axis] == 1


_TURNED = frozenset(("T", "Transpose", "Permute", "Movedim", "Swapaxes"))
_KEPT = frozenset(("Expand", "Clamp", "ClampMin", "Add"))  # between a quotient and the norm


def norm_over_samples(quotient):
    """Whether what a layer makes of samples, one row each, is divided by its norm over the rows, so that columns come to have length one."""
    below = [n for n, _ in quotient.next_functions]
    if len(below) != 2 or below[0] is None:
        return False
    norm = below[1]
    for _ in range(4):
        if norm is None or base(norm) not in _KEPT:
            break
        norm = norm.next_functions[0][0]
    if norm is None or base(norm) != "LinalgVectorNorm" or norm.next_functions[0][0] is not below[0]:
        return False
    shape, axes = shape_of(quotient, 0), getattr(norm, "_saved_dim", None)
    if shape is None or len(shape) != 2 or shape[0] < 4 or shape[1] < 2 or not isinstance(axes, (tuple, list)) or list(axes) not in ([0], [-2], [(1 << 64) - 2]):
        return False
    node = below[0]
    for _ in range(12):  # down to the layer, rows stay rows
        if node is None or base(node) in _TURNED:
            return False
        if neutral(node) in WEIGHTED:
            return True
        below = [n for n, _ in node.next_functions if n is not None]
        if not below or len(below) > 1 and base(node) in SHAPES:
            return False
        node = below[0]
    return False
