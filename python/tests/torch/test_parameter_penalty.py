"""Penalties on the parameters that a script adds to its loss: which are seen, however they are written, and which are none."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from vigil._torch import parameter_penalty, summary

M = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 1))
X, Y = torch.randn(8, 4), torch.randn(8, 1)
P = list(M.parameters())


def error():
    return F.mse_loss(M(X), Y)


FORMS = {
    "pow": (lambda: error() + 0.5 * sum(p.pow(2).sum() for p in P), "l2"),
    "power": (lambda: error() + sum((p**2).sum() * 0.5 for p in P), "l2"),
    "product": (lambda: error() + 0.5 * sum(torch.sum(p * p) for p in P), "l2"),
    "divided": (lambda: sum(p.square().sum() for p in P) / 2 + error(), "l2"),
    "squared norm": (lambda: error() + 0.5 * sum(p.norm() ** 2 for p in P), "l2"),
    "all in one": (lambda: error() + 0.5 * torch.cat([p.view(-1) for p in P]).pow(2).sum(), "l2"),
    "a tensor as factor": (lambda: error() + torch.tensor(0.5) * sum((p.pow(2).sum() for p in P), torch.zeros(())), "l2"),
    "magnitudes": (lambda: error() + 0.5 * sum(p.abs().sum() for p in P), "l1"),
    "norm of magnitudes": (lambda: error() + 0.5 * sum(torch.norm(p, 1) for p in P), "l1"),
    "norm": (lambda: error() + 0.5 * sum(p.norm() for p in P), "norm"),
}


def seen(loss):
    numbers = summary.Numbers()
    found = parameter_penalty.of(loss.grad_fn, numbers)
    return None if found is None else found.gather(numbers.read())


@pytest.mark.parametrize("name", list(FORMS))
def test_seen(name):
    form, kind = FORMS[name]
    found = seen(form())
    with torch.enable_grad():
        gradients = torch.autograd.grad(form() - error(), P)
    pull = sum(g.pow(2).sum() for g in gradients).sqrt().item()
    assert (found["kind"], found["factor"], found["tensors"]) == (kind, 0.5, 4)
    assert found["pull"] == pytest.approx(pull, rel=1e-4)


@pytest.mark.parametrize(
    "loss",
    [
        error,
        lambda: error() + M(X).pow(2).sum(),  # of what the model gave
        lambda: error() + 0.5 * (M[0].weight @ M[0].weight.t() - torch.eye(5)).pow(2).sum(),
        lambda: error() + 0.5 * sum((p - 0.1).pow(2).sum() for p in P),  # towards other values
        lambda: error() * sum(p.pow(2).sum() for p in P),
    ],
)
def test_none(loss):
    assert seen(loss()) is None


def test_plain_tensors():
    """What a script holds in a dict counts like parameters; a few numbers, such as a scale, do not."""
    tables = {"w1": torch.randn(5, 4, requires_grad=True), "w2": torch.randn(1, 5, requires_grad=True)}
    loss = F.mse_loss(F.linear(F.linear(X, tables["w1"]).relu(), tables["w2"]), Y)
    found = seen(loss + 0.5 * sum(w.pow(2).sum() for w in tables.values()))
    assert (found["kind"], found["factor"], found["tensors"]) == ("l2", 0.5, 2)
    scale = torch.ones(5, requires_grad=True)
    assert seen(loss + 0.5 * scale.pow(2).sum() + 0.0 * (M(X) * scale.mean()).mean()) is None
