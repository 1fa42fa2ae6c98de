"""Losses that are written out: the mean, or the sum, of the squares or the magnitudes of a difference, and cross-entropy with a value for each class.

The graph keeps the difference, and what the model returned is known; so the
other side, the labels, is known too. PyTorch's own cross_entropy leaves a
product with log_softmax when its labels are probabilities.
"""

import torch

from vigil._torch import device, graph, operations, summary

_STEPS = 12  # nodes between the loss and the difference


def find(node, sign=1):
    """(name of the function that the loss amounts to, operation, what it kept of the labels' side) or None.

    sign: -1 where it is subtracted from something. The operation is the difference, with its value, or log_softmax, with the probabilities that it is multiplied with.
    """
    added, negative = False, sign < 0
    for _ in range(_STEPS):
        if node is None:
            return None
        name = operations.base(node)
        below = [n for n, _ in node.next_functions]
        if name in ("Mean", "Sum"):
            added = True
        elif name == "Neg":
            negative = not negative
        elif name == "Pow":
            return _difference("mse_loss", node, below) if added and getattr(node, "_saved_exponent", None) == 2 else None
        elif name == "Abs":
            return _difference("l1_loss", node, below) if added else None
        elif name == "Mul" and added and len(below) == 2:
            if below[0] is not None and below[0] is below[1]:
                return _difference("mse_loss", node, below)
            return _product(node, below) if negative else None
        elif name != "Div" and name not in operations.SHAPES:
            return None
        node = next((n for n in below if n is not None), None)
    return None


def _difference(name, node, below):
    difference = graph.saved(node, "self")
    below = below[0]
    if difference is None or below is None or operations.base(below) != "Sub" or getattr(below, "_saved_alpha", 1) != 1:
        return None
    sides = [n for n, _ in below.next_functions]
    if len(sides) != 2 or (sides[0] is None) == (sides[1] is None):
        return None
    return name, below, difference


def _product(node, below):
    """Minus the sum of log_softmax times probabilities: cross_entropy with a value for each class."""
    for i, side in enumerate(("other", "self")):
        if below[i] is not None and operations.base(below[i]) == "LogSoftmax" and below[1 - i] is None:
            label = graph.saved(node, side)
            return None if label is None else ("cross_entropy", below[i], label)
    return None


def given(node, outputs, sign=1):
    """(name, prediction, label, whether only log_softmax of the prediction is known, node of the prediction) of a loss written out below ``node``, or None.

    outputs: what the model returned. sign: -1 where it is subtracted.
    """
    found = find(node, sign)
    return None if found is None else compared(found, outputs)


def compared(found, outputs):
    """What ``given`` gives of what ``find`` found, or None."""
    name, operation, value = found
    if not summary.readable(value) or value.is_complex() or value.numel() > 1 << 22:
        return None
    if name == "cross_entropy":
        output = of(operation.next_functions[0][0], outputs, value)
        below = operation.next_functions[0][0]
        return (name, value, value, True, below) if output is None or output.shape != value.shape else (name, output, value, False, below)
    left = operation.next_functions[0][0]
    below = left if left is not None else operation.next_functions[1][0]
    output = of(below, outputs, value)
    if output is None or not summary.readable(output) or output.shape != value.shape and not _broadcasts(output, value):
        return None
    with torch.no_grad():
        output, difference = output.detach(), value.detach()
        label = output - difference if left is not None else output + difference
        label = _exact(label, (output.abs() + difference.abs()) * torch.finfo(label.dtype).eps * 2)
        if output.shape != difference.shape:
            label = _narrowed(label)
    return None if label is None else (name, output, label, False, below)


def of(node, outputs, like=None):
    """What the model returned of which ``node`` is the last operation, or only a change of shape away; None when it is not known.

    like: a tensor of the shape that it has after the change, or of one that it was stretched to.
    """
    direct, shape = True, operations.shape_of(node, 0)
    for _ in range(4):
        if node is None:
            return None
        for output in outputs:
            if output.grad_fn is node:
                if direct:
                    return output
                if like is None:
                    return None
                if like.numel() == output.numel():
                    shape = like.shape
                return output.detach().reshape(shape) if shape is not None and graph.product(shape) == output.numel() else None
        if operations.base(node) not in operations.SHAPES:
            return None
        node, direct = node.next_functions[0][0], False
    return None


def _broadcasts(output, difference):
    try:
        return torch.broadcast_shapes(output.shape, difference.shape) == difference.shape
    except (RuntimeError, AttributeError):
        return False


def _exact(label, near):
    """The labels without what the subtraction rounded: whole numbers are whole again."""
    whole = label.round()
    return torch.where(((label - whole).abs() <= near).all(), whole, label)


def unexpanded(tensor):
    """A tensor as it was before it was expanded: the leading axes gone, others of one entry."""
    tensor = tensor.detach()
    while tensor.dim() and tensor.stride(0) == 0 and tensor.shape[0] > 1:
        tensor = tensor[0]
    for axis in range(tensor.dim()):
        if tensor.stride(axis) == 0 and tensor.shape[axis] > 1:
            tensor = tensor.narrow(axis, 0, 1)
    return tensor


def _narrowed(label):
    """Labels as they were before the difference stretched them; None when it cannot be told."""
    axes = [axis for axis in range(label.dim()) if label.shape[axis] > 1]
    firsts = [label.narrow(axis, 0, 1) for axis in axes]
    if not axes:
        return None
    alike = torch.stack([((label - first).abs() <= 1e-4 * first.abs().clamp(min=1e-6)).all() for first in firsts])
    narrow = [first for first, one in zip(firsts, device.here(alike).tolist()) if one]
    if len(narrow) != 1:
        return None
    label = narrow[0]
    while label.dim() > 1 and label.shape[0] == 1:
        label = label[0]
    return label
