"""A cross-entropy of yes and no that is written out shows what it compares, however it is written."""

import pytest
import torch
import torch.nn.functional as F

from vigil._torch import handwritten_binary_cross_entropy

X = torch.randn(8, 5)
W = torch.randn(5, 1, requires_grad=True)
Y = (torch.arange(8) % 2).float().reshape(8, 1)


def logs(z, y):
    return -(y * F.logsigmoid(z) + (1 - y) * F.logsigmoid(-z)).mean()


def eps(z, y):
    p = torch.sigmoid(z)
    return -(y * torch.log(p + 1e-7) + (1.0 - y) * torch.log(1 - p + 1e-7)).mean()


def clamped(z, y):
    p = torch.sigmoid(z).clamp(1e-6, 1 - 1e-6)
    return (-y * p.log() - (1 - y) * (1 - p).log()).sum() / 8


def softplus(z, y):
    return (y * F.softplus(-z) + (1 - y) * F.softplus(z)).mean()


def focal(z, y):
    p = torch.sigmoid(z).clamp(1e-6, 1 - 1e-6)
    return (-0.25 * (1 - p) ** 2 * y * torch.log(p) - 0.75 * p**2 * (1 - y) * torch.log(1 - p)).mean()


def positives(z, y):
    return -(3 * y * F.logsigmoid(z) + (1 - y) * F.logsigmoid(-z)).mean()


def beside(z, y):
    p = torch.sigmoid(z)
    return 0.5 * logs(z, y) + (1 - 2 * (p * y).sum() / (p.sum() + y.sum()))


def taken(loss, y):
    with torch.enable_grad():
        z = X @ W
        found = handwritten_binary_cross_entropy.given(loss(z, y).grad_fn, [])
    return z, found


@pytest.mark.parametrize("loss", [logs, eps, clamped, softplus, focal, positives, beside])
@pytest.mark.parametrize("label", [Y, Y * 255, Y * 0.9 + 0.05, torch.zeros(8, 1)])
def test_what_is_compared(loss, label):
    z, found = taken(loss, label)
    name, prediction, given, _, node = found
    assert name == handwritten_binary_cross_entropy.FUNCTION and node is z.grad_fn
    assert torch.allclose(given, label, atol=1e-4) and torch.allclose(prediction, z, atol=1e-2)


@pytest.mark.parametrize("loss", [logs, eps, softplus, focal])
def test_shapes_before_they_are_stretched(loss):
    _, found = taken(loss, Y[:, 0])
    assert list(found[1].shape) == [8, 1] and list(found[2].shape) == [8]


MASK = torch.ones(8, 1)


@pytest.mark.parametrize(
    "loss",
    [
        lambda z, y: -((y * F.logsigmoid(z) + (1 - y) * F.logsigmoid(-z)) * MASK).sum(),  # masked
        lambda z, y: -(MASK * 2 * y * F.logsigmoid(z) + torch.rand(8, 1) * (1 - y) * F.logsigmoid(-z)).mean(),  # weighted by place
        lambda z, y: (y * F.logsigmoid(z) + (1 - y) * F.logsigmoid(-z)).mean(),  # to become smaller
        lambda z, y: -(F.logsigmoid(z) + F.logsigmoid(-z)).mean(),
        lambda z, y: -(y * F.logsigmoid(z)).mean(),
        lambda z, y: -(y * F.logsigmoid(z) + (1 - y) * F.logsigmoid(-2 * z)).mean(),
        lambda z, y: F.mse_loss(z, y),
        lambda z, y: F.binary_cross_entropy_with_logits(z, y),
    ],
)
def test_others(loss):
    assert taken(loss, Y)[1] is None


@pytest.mark.parametrize("loss,weight", [
    (logs, 1),
    (softplus, 1),
    (positives, 3),
    (lambda z, y: (y * F.softplus(-z) / 6 + (1 - y) * F.softplus(z)).mean(), 1 / 6),
    (lambda z, y: (1 / 6 * (y * F.softplus(-z)) + (1 - y) * F.softplus(z)).mean(), 1 / 6),
    (lambda z, y: -(0.5 * y * F.logsigmoid(z) + 0.25 * ((1 - y) * F.logsigmoid(-z))).sum(), 2),
    (focal, None),
    (lambda z, y: F.binary_cross_entropy_with_logits(z, y), None),
])
def test_weight_of_a_yes(loss, weight):
    z = X @ W
    found = handwritten_binary_cross_entropy.weight_of_yes(loss(z, Y).grad_fn)
    assert found is None if weight is None else abs(found - weight) < 1e-4
