"""Losses that a script writes out: the mean, or the sum, of the squares or the magnitudes of a difference.

The graph keeps the difference, and what the model returned is known; so the
other side, the labels, is known too.
"""

import torch

from vigil._torch import autograd, graph, summary

_STEPS = 12  # nodes between the loss and the difference


def find(node):
    """(name of the function that the loss amounts to, reduction, node of the difference, difference) or None."""
    reduction = ""
    for _ in range(_STEPS):
        if node is None:
            return None
        name = autograd.base(node)
        below = [n for n, _ in node.next_functions]
        if name == "Mean":
            reduction = "mean"
        elif name == "Sum":
            reduction = reduction or "sum"
        elif name == "Div" and reduction in ("", "sum"):
            reduction = "mean"  # by hand
        elif name == "Pow":
            if not reduction or getattr(node, "_saved_exponent", None) != 2:
                return None
            return _of("mse_loss", reduction, node, below)
        elif name == "Abs":
            return _of("l1_loss", reduction, node, below) if reduction else None
        elif name == "Mul":
            if len(below) == 2 and below[0] is not None and below[0] is below[1]:
                return _of("mse_loss", reduction, node, below) if reduction else None
        elif name not in autograd.SHAPES:
            return None
        node = next((n for n in below if n is not None), None)
    return None


def _of(name, reduction, node, below):
    difference = graph.saved(node, "self")
    below = below[0]
    if difference is None or below is None or autograd.base(below) != "Sub" or getattr(below, "_saved_alpha", 1) != 1:
        return None
    sides = [n for n, _ in below.next_functions]
    if len(sides) != 2 or (sides[0] is None) == (sides[1] is None):
        return None
    return name, reduction, below, difference


def given(node, outputs):
    """(name, prediction, label) of a loss written out below ``node``, or None. outputs: what the model returned."""
    found = find(node)
    if found is None:
        return None
    name, _, difference_node, difference = found
    left = difference_node.next_functions[0][0]
    output = of(left if left is not None else difference_node.next_functions[1][0], outputs, difference)
    if output is None or output.shape != difference.shape and not _broadcasts(output, difference):
        return None
    if not (summary.readable(output) and summary.readable(difference)) or difference.is_complex() or difference.numel() > 1 << 22:
        return None
    with torch.no_grad():
        output, difference = output.detach(), difference.detach()
        label = output - difference if left is not None else output + difference
        label = _exact(label, (output.abs() + difference.abs()) * torch.finfo(label.dtype).eps * 2)
        if output.shape != difference.shape:
            label = _narrowed(label)
    return None if label is None else (name, output, label)


def of(node, outputs, like=None):
    """What the model returned of which ``node`` is the last operation, or only a change of shape away; None when it is not known.

    like: a tensor of the shape that it has after the change.
    """
    direct = True
    for _ in range(4):
        if node is None:
            return None
        for output in outputs:
            if output.grad_fn is node:
                if direct:
                    return output
                return output.detach().reshape(like.shape) if like is not None and like.numel() == output.numel() else None
        if autograd.base(node) not in autograd.SHAPES:
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
    return whole if bool(((label - whole).abs() <= near).all()) else label


def _narrowed(label):
    """Labels as they were before the difference stretched them; None when it cannot be told."""
    narrow = 0
    for axis in range(label.dim()):
        n = label.shape[axis]
        first = label.narrow(axis, 0, 1)
        if n > 1 and bool(((label - first).abs() <= 1e-4 * first.abs().clamp(min=1e-6)).all()):
            label, narrow = first, narrow + 1
    if narrow != 1:
        return None
    while label.dim() > 1 and label.shape[0] == 1:
        label = label[0]
    return label
