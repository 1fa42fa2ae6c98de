"""Over what the softmax of attention goes: over the keys, or over what is not summed over."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from vigil._torch import autograd, operations

N, T, C, H = 3, 6, 8, 2
QKV = nn.Linear(C, 3 * C)
X = torch.randn(N, T, C)
MASK = torch.ones(T, T).tril().bool()


def heads(x):
    return [z.view(N, T, H, C // H).transpose(1, 2) for z in QKV(x).chunk(3, -1)]


def several(axis, drop=0.0):
    q, k, v = heads(X)
    scores = (q @ k.transpose(-2, -1) / math.sqrt(C // H)).masked_fill(~MASK, -1e9)
    return F.dropout(F.softmax(scores, axis), drop) @ v


def single(axis):
    q, k, v = QKV(X).chunk(3, -1)
    return torch.bmm(F.softmax(torch.bmm(q, k.transpose(1, 2)) * C**-0.5, dim=axis), v)


def offset():
    """As of point clouds: divided once more, over the other axis."""
    q, k, v = QKV(X).chunk(3, -1)
    a = F.softmax(torch.bmm(q, k.transpose(1, 2)), -1)
    return torch.bmm((a / (1e-9 + a.sum(1, keepdim=True))).transpose(1, 2), v)


def slots():
    q, k, v = QKV(X).chunk(3, -1)
    a = F.softmax(torch.bmm(q, k.transpose(1, 2)), 1) + 1e-8
    return torch.bmm(a / a.sum(-1, keepdim=True), v)


def keys_first():
    """Rows are keys."""
    q, k, v = QKV(X).chunk(3, -1)
    return torch.bmm(F.softmax(torch.bmm(k, q.transpose(1, 2)), 1).transpose(1, 2), v)


def both_ways():
    """From a text to a question and back."""
    q, k, v = QKV(X).chunk(3, -1)
    scores = torch.bmm(q, k.transpose(1, 2))
    return torch.bmm(torch.bmm(F.softmax(scores, 2), F.softmax(scores, 1)), v) + torch.bmm(F.softmax(scores, 1).transpose(1, 2), v)


def of_features():
    """Keys over the places, queries over the features."""
    q, k, v = QKV(X).chunk(3, -1)
    return F.softmax(q, -1) @ (F.softmax(k, 1).transpose(1, 2) @ v)


def pooled():
    """Nodes are assigned to as many clusters as there are."""
    s = F.softmax(nn.Linear(C, T)(X), -1)
    return s.transpose(1, 2) @ X


@pytest.mark.skipif(operations.shape_of((QKV.weight * 1).grad_fn, 0) is None, reason="the graph tells no shapes")
@pytest.mark.parametrize(
    "made,found",
    [
        (lambda: several(-2), 1),
        (lambda: several(2, 0.1), 1),
        (lambda: several(1), 1),
        (lambda: single(1), 1),
        (lambda: single(-2), 1),
        (lambda: several(-1), None),
        (lambda: several(3, 0.1), None),
        (lambda: single(-1), None),
        (offset, None),
        (slots, None),
        (keys_first, None),
        (both_ways, None),
        (of_features, None),
        (pooled, None),
    ],
)
def test_axis(made, found):
    graphs = autograd.Graphs()
    graphs.take(made().pow(2).mean())
    assert graphs.gather([]).get("over_queries") == found
