"""Whether the labels of a loss are the tokens that its network begins with, each at its own place.

Read from the autograd graph before backward; no reference to it is kept.
"""

import torch

from vigil._torch import graph, summary
from vigil._torch.operations import base, leaf_of, shape_of

_LOSSES = frozenset(("NllLoss", "NllLossD"))
_MOVES = frozenset(("Slice", "Narrow", "Cat", "ConstantPad", "ConstantPadNd", "Roll", "Flip", "Index", "IndexSelect", "Gather", "CopySlices"))
_FEWEST = 16  # labels
_LENGTH = 4  # places
_MOST = 1 << 20
_SAME = 0.98


def own(nodes):
    """Whether the only loss among ``nodes`` compares with the tokens that the only table of tokens is asked for.

    Nothing may move places on the way: who moves them inside the network gives
    it labels that are its input, and means it.
    """
    losses = [n for n in nodes if base(n) in _LOSSES]
    tables = [t for t in (_tokens(n) for n in nodes if base(n) == "Embedding") if t is not None]
    if len(losses) != 1 or len(tables) != 1 or any(_moves(n) for n in nodes):
        return False
    label, tokens = graph.saved(losses[0], "target"), tables[0]
    if label is None or not _usable(label) or label.numel() != tokens.numel():
        return False
    with torch.no_grad():
        label, tokens = label.detach().reshape(-1), tokens.detach().reshape(-1)
        told = label != graph.ignored(losses[0])
        count = int(told.sum())
        return count >= _FEWEST and int(((label == tokens) & told).sum()) >= _SAME * count


def _tokens(node):
    """The numbers that a table is asked for; None of places, which are the same in every sample or count up."""
    tokens = graph.saved(node, "indices")
    if tokens is None or tokens.dim() < 2 or not _usable(tokens) or max(tokens.shape) < _LENGTH:
        return None
    with torch.no_grad():
        steps = tokens.detach().diff(dim=-1)
        return None if steps.numel() and bool(((steps == 1) | (steps == 0)).all()) else tokens


def _usable(x):
    return not x.is_floating_point() and x.dtype != torch.bool and x.device.type == "cpu" and _FEWEST <= x.numel() <= _MOST and summary.readable(x)


def _moves(node):
    """Whether a node takes samples or places apart, or puts some together; not features, and not a part of a parameter."""
    if base(node) not in _MOVES or leaf_of(node) is not None:
        return False
    shape, axis = shape_of(node, 0), getattr(node, "_saved_dim", None)
    if shape is None or not isinstance(axis, int) or not shape:
        return True
    axis = axis - (1 << 64) if axis >= 1 << 63 else axis
    return axis not in (-1, len(shape) - 1)
