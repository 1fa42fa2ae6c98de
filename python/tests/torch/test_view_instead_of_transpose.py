"""Views that name axes again: those that mix samples or channels are told, and those that people write on purpose are not."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from vigil._torch import operations, summary, view_instead_of_transpose, zero_second_derivatives
from vigil._torch.autograd import Walk

CONV, STEP, TABLE, CHANNELS = nn.Conv1d(2, 4, 3, padding=1), nn.GRU(4, 5), nn.Embedding(9, 4), nn.Conv1d(4, 3, 3, padding=1)
TAGS, ALL, PLACES, CELLS = nn.Linear(4, 3), nn.Linear(20, 15), nn.Linear(5, 7), nn.Conv2d(2, 3, 1)
GRIDS, SEEN = torch.randn(6, 2, 7, 7), torch.arange(294).reshape(6, 7, 7) % 3 == 0
CLIPS, TOKENS = torch.randn(6, 5, 2, 8), torch.arange(30).remainder(9).reshape(6, 5)


FIRST, QKV, OUT = nn.Linear(4, 8), nn.Linear(8, 24), nn.Linear(8, 8)


def attend(split, merge=lambda y: y.transpose(1, 2).reshape(6, 5, 8), fused=False):
    """Self-attention with two heads of four units. split: what makes heads of queries, keys and values."""
    q, k, v = (split(x) for x in QKV(FIRST(TABLE(TOKENS))).chunk(3, -1))
    if fused:
        y = F.scaled_dot_product_attention(q, k, v)
    else:
        y = (q @ k.transpose(-2, -1) / 2).masked_fill(torch.ones(5, 5).triu(1).bool(), -1e9).softmax(-1) @ v
    return OUT(merge(y))


def each(clips):
    return CONV(clips).mean(2)


def shifted(x):
    """As in attention to relative places: a column is added, and the rows move by one."""
    a, b = x.shape[:2]
    return torch.cat([torch.zeros(a, 1, x.shape[2]), x], 1).view(b + 1, a, -1)[1:].view_as(x)


def found(model, layer, x, first):
    given = view_instead_of_transpose.Given()
    given.begins([x])
    given.layer("first", layer, (first,))
    walk = Walk(model().sum().grad_fn, (), True)
    return given.found or view_instead_of_transpose.between(walk.nodes, given)


@pytest.mark.skipif(operations.shape_of((TABLE.weight * 1).grad_fn, 0) is None, reason="the graph tells no shapes")
@pytest.mark.parametrize(
    "model,layer,x,first,expected",
    [
        (lambda: STEP(each(CLIPS.flatten(0, 1)).view(5, 6, -1))[0], "convolution", CLIPS, CLIPS.flatten(0, 1), ([30, 4], [5, 6, 4], True)),
        (lambda: STEP(each(CLIPS.flatten(0, 1)).view(6, 5, -1).transpose(0, 1))[0], "convolution", CLIPS, CLIPS.flatten(0, 1), None),
        (lambda: STEP(each(CLIPS.transpose(0, 1).flatten(0, 1)).view(5, 6, -1))[0], "convolution", CLIPS, CLIPS.transpose(0, 1).flatten(0, 1), None),
        (lambda: STEP(each(CLIPS.flatten(0, 1))[torch.randperm(30)].view(5, 6, -1))[0], "convolution", CLIPS, CLIPS.flatten(0, 1), None),
        (lambda: STEP(TABLE(TOKENS).view(5, 6, -1))[0], "embedding", TOKENS, TOKENS, ([6, 5, 4], [5, 6, 4], True)),
        (lambda: STEP(TABLE(TOKENS).transpose(0, 1))[0], "embedding", TOKENS, TOKENS, None),
        (lambda: CHANNELS(TABLE(TOKENS).view(6, 4, 5)), "embedding", TOKENS, TOKENS, ([6, 5, 4], [6, 4, 5], False)),
        (lambda: CHANNELS(TABLE(TOKENS).permute(0, 2, 1).reshape(6, 4, 5)), "embedding", TOKENS, TOKENS, None),
        (lambda: CHANNELS(shifted(TABLE(TOKENS)).transpose(1, 2)), "embedding", TOKENS, TOKENS, None),
        (lambda: CHANNELS(F.one_hot(TOKENS, 9)[..., :4].float().view(6, 4, 5)), "convolution", F.one_hot(TOKENS, 9)[..., :4].float(), F.one_hot(TOKENS, 9)[..., :4].float().reshape(6, 4, 5), ([6, 5, 4], [6, 4, 5], False)),
        (lambda: F.cross_entropy(TAGS(TABLE(TOKENS)).view(6, 3, 5), TOKENS % 3), "embedding", TOKENS, TOKENS, ([6, 5, 3], [6, 3, 5], False)),
        (lambda: F.cross_entropy(TAGS(TABLE(TOKENS)).reshape(6, 3, -1), TOKENS % 3), "embedding", TOKENS, TOKENS, ([6, 5, 3], [6, 3, 5], False)),
        (lambda: F.cross_entropy(TAGS(TABLE(TOKENS)).transpose(1, 2), TOKENS % 3), "embedding", TOKENS, TOKENS, None),
        (lambda: F.cross_entropy(TAGS(TABLE(TOKENS)).permute(0, 2, 1).contiguous().view(6, 3, 5), TOKENS % 3), "embedding", TOKENS, TOKENS, None),
        (lambda: F.cross_entropy(TAGS(TABLE(TOKENS)).view(-1, 3), (TOKENS % 3).view(-1)), "embedding", TOKENS, TOKENS, None),
        (lambda: F.cross_entropy(ALL(TABLE(TOKENS).flatten(1)).view(6, 3, 5), TOKENS % 3), "embedding", TOKENS, TOKENS, None),
        (lambda: PLACES(TABLE(TOKENS).transpose(1, 2)).log_softmax(2), "embedding", TOKENS, TOKENS, None),
        (lambda: CELLS(GRIDS).reshape(6, 7, 7, 3)[SEEN], "convolution", GRIDS, GRIDS, ([6, 3, 7, 7], [6, 7, 7, 3], False)),
        (lambda: CELLS(GRIDS).permute(0, 2, 3, 1).reshape(6, 7, 7, 3)[SEEN], "convolution", GRIDS, GRIDS, None),
        (lambda: CELLS(GRIDS).permute(0, 2, 3, 1).reshape(6, -1, 3), "convolution", GRIDS, GRIDS, None),
        (lambda: F.cross_entropy(CELLS(GRIDS).view(-1, 3), TOKENS.view(-1)[:1].repeat(294) % 3), "convolution", GRIDS, GRIDS, ([6, 3, 7, 7], [294, 3], False)),
        (lambda: F.cross_entropy(CELLS(GRIDS).permute(0, 2, 3, 1).reshape(-1, 3), TOKENS.view(-1)[:1].repeat(294) % 3), "convolution", GRIDS, GRIDS, None),
        (lambda: CELLS(GRIDS).view(-1, 7).log_softmax(1), "convolution", GRIDS, GRIDS, None),
        (lambda: F.cross_entropy(CELLS(GRIDS[..., :1, :1]).view(-1, 3), TOKENS.view(-1)[:6] % 3), "convolution", GRIDS, GRIDS, None),
        (lambda: CELLS(GRIDS).reshape(6, 3, -1), "convolution", GRIDS, GRIDS, None),
        (lambda: attend(lambda x: x.reshape(6, 2, 5, 4)), "embedding", TOKENS, TOKENS, ([6, 5, 8], [6, 2, 5, 4], False)),
        (lambda: attend(lambda x: x.contiguous().view(6, 2, -1, 4), fused=True), "embedding", TOKENS, TOKENS, ([6, 5, 8], [6, 2, 5, 4], False)),
        (lambda: attend(lambda x: x.reshape(12, 5, 4), lambda y: y.reshape(6, 5, 8)), "embedding", TOKENS, TOKENS, ([6, 5, 8], [12, 5, 4], False)),
        (lambda: attend(lambda x: x.view(6, 5, 2, 4).transpose(1, 2)), "embedding", TOKENS, TOKENS, None),
        (lambda: attend(lambda x: x.view(6, 5, 2, 4).transpose(1, 2), lambda y: y.reshape(6, 5, 8)), "embedding", TOKENS, TOKENS, None),  # some mix heads on purpose
        (lambda: attend(lambda x: x.unflatten(-1, (2, 4)).permute(0, 2, 1, 3), fused=True), "embedding", TOKENS, TOKENS, None),
        (lambda: attend(lambda x: torch.stack(x.split(4, -1), 1)), "embedding", TOKENS, TOKENS, None),
        (lambda: attend(lambda x: x.transpose(0, 1).reshape(5, 12, 4).transpose(0, 1), lambda y: y.transpose(0, 1).reshape(5, 6, 8)), "embedding", TOKENS, TOKENS, None),
        (lambda: OUT(FIRST(TABLE(TOKENS)).view(6, 2, 5, 4).mean(1).repeat(1, 1, 2)), "embedding", TOKENS, TOKENS, None),  # no attention
        (lambda: CHANNELS(torch.ones(6, 4, 5)), "convolution", torch.ones(6, 5, 4), torch.ones(6, 4, 5), None),
    ],
)
def test_axes(model, layer, x, first, expected):
    facts = found(model, layer, x, first)
    assert (facts and (facts["from"], facts["to"], facts["samples"])) == expected


def test_axes_of_length_one():
    assert not view_instead_of_transpose.exchanged((8, 1, 28), (8, 28, 1)) and not view_instead_of_transpose.exchanged((8, 5, 5), (8, 5, 5)) and view_instead_of_transpose.exchanged((8, 64, 4), (8, 4, 64))


def second(net, form=None, times=2):
    """SecondFacts of a script that asks for second derivatives."""
    numbers = summary.Numbers()
    seen = zero_second_derivatives.ZeroSecondDerivatives(numbers)

    def grad(y, x):
        told = seen.begins(y, x)
        gradients = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)
        if told:
            told(gradients)
        return gradients[0]

    for _ in range(times):
        x = torch.linspace(0, 1, 24).reshape(12, 2).requires_grad_(True)
        (form or (lambda grad, y, x: grad(grad(y, x)[:, :1], x)))(grad, net(x), x)
        seen.forget()
    return seen.gather(numbers.read())


def layers(unit):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 16), unit, nn.Linear(16, 16), unit, nn.Linear(16, 1))


def test_second_derivatives():
    assert second(layers(nn.ReLU())) == {"units": ["relu"], "taken": 2}
    assert second(layers(nn.LeakyReLU())) == {"units": ["leaky_relu"], "taken": 2}
    assert second(layers(nn.ReLU()), lambda grad, y, x: grad(grad(y, x), x)) == {"units": ["relu"], "taken": 2}


@pytest.mark.parametrize(
    "net,form",
    [
        (layers(nn.Tanh()), None),
        (nn.Sequential(layers(nn.ReLU()), nn.Softplus()), None),
        (lambda x: x.prod(1, keepdim=True) * LEAKY(x), None),  # a boundary that is built in
        (layers(nn.ReLU()), lambda grad, y, x: grad(y, x)),  # a penalty on the first
    ],
)
def test_other_derivatives(net, form):
    assert second(net, form) is None


LEAKY = layers(nn.LeakyReLU())


def test_derivatives_by_parameters():
    seen = zero_second_derivatives.ZeroSecondDerivatives(summary.Numbers())
    net = layers(nn.ReLU())
    assert seen.begins(net(torch.rand(4, 2)).sum(), list(net.parameters())) is None
