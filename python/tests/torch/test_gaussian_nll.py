"""A likelihood with a mean and a scale of the network's shows its labels, and its signs."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Independent, Laplace, Normal

from vigil._torch import gaussian_nll, graph

NET, X, Y = nn.Linear(3, 2), torch.randn(8, 3), torch.randn(8) * 5 + 3
SPREAD, MASK = nn.Parameter(torch.zeros(1)), (torch.arange(8) < 5).float()


def scale(s):
    return F.softplus(s) + 1e-3


def taken(loss):
    out = NET(X)
    mean, s = out[:, 0], out[:, 1]
    node = graph.base(loss(mean, s))[1]
    return gaussian_nll.find(node), gaussian_nll.given(node, [mean, s])


def whole(mean, s):
    sigma = scale(s)
    return (torch.log(sigma) + 0.5 * ((Y - mean) / sigma) ** 2 + 0.919).mean()


def root(mean, s):
    v = scale(s)
    return (torch.sqrt(v).log() + 0.5 * (Y - mean) ** 2 / v).mean()


@pytest.mark.parametrize("loss,kind,held", [
    (lambda m, s: 0.5 * (s + (Y - m) ** 2 * torch.exp(-s)).mean(), "normal", True),
    (lambda m, s: (0.5 * (s + (Y - m) ** 2 / torch.exp(s))).mean(), "normal", True),
    (lambda m, s: 0.5 * ((Y - m) ** 2 * torch.exp(-s)).mean() + 0.5 * s.mean(), "normal", True),
    (lambda m, s: (0.5 * torch.log(s.exp()) + 0.5 * (Y - m).pow(2) / s.exp()).mean(), "normal", True),
    (lambda m, s: (torch.log(scale(s)) + (Y - m) ** 2 / (2 * scale(s) ** 2)).mean(), "normal", True),
    (lambda m, s: 0.5 * (s.clamp(-6, 4) + (m - Y).square() * torch.exp(-s.clamp(-6, 4))).sum(), "normal", True),
    (lambda m, s: 0.5 * (-s + (Y - m) ** 2 * torch.exp(s)).mean(), "normal", True),  # a precision
    (lambda m, s: (torch.exp(-s) * (Y - m).abs() + s).mean(), "laplace", True),
    (lambda m, s: -Normal(m, scale(s)).log_prob(Y).mean(), "normal", True),
    (lambda m, s: -Independent(Normal(m, s.exp()), 1).log_prob(Y), "normal", True),
    (lambda m, s: -Laplace(m, s.exp()).log_prob(Y).mean(), "laplace", True),
    (lambda m, s: -Normal(m, 1.0).log_prob(Y).mean(), "normal", None),
    (lambda m, s: -Normal(m, SPREAD.exp()).log_prob(Y).mean(), "normal", True),
    (lambda m, s: (SPREAD + 0.5 * (Y - m) ** 2 * torch.exp(-2 * SPREAD)).mean(), "normal", True),
    (lambda m, s: F.gaussian_nll_loss(m, Y, s.exp()), "normal", True),
    (whole, "normal", True),
    (root, "normal", True),
    (lambda m, s: 0.5 * (-s + (Y - m) ** 2 * torch.exp(-s)).mean(), "normal", False),
    (lambda m, s: 0.5 * (s + (Y - m) ** 2 * torch.exp(s)).mean(), "normal", False),
])
def test_what_is_compared(loss, kind, held):
    found, given = taken(loss)
    assert found[0].kind == kind and found[1] > 0 and found[2] is held
    assert given[0] == gaussian_nll.NAMES[kind] and torch.allclose(given[2], Y, atol=1e-4)
    turned, _ = taken(lambda m, s: -loss(m, s))
    assert turned[1] < 0 and turned[2] is held


@pytest.mark.parametrize("loss", [
    lambda m, s: F.mse_loss(m, Y),
    lambda m, s: ((Y - m) ** 2 * MASK).mean(),
    lambda m, s: ((Y - m) ** 2 * torch.exp(-s)).mean(),
    lambda m, s: (0.5 * (s + (Y - m) ** 2 * torch.exp(-s)) * MASK).mean(),
    lambda m, s: -(Normal(m, s.exp()).log_prob(Y) * Y).mean(),  # a policy
    lambda m, s: -Normal(m, s.exp()).log_prob(m + s).mean(),
    lambda m, s: ((Y - m) ** 2).mean() - 0.5 * (1 + s - m**2 - s.exp()).mean(),
    lambda m, s: F.mse_loss(m, Y) + s.mean(),
    lambda m, s: (torch.exp(-s) * (Y - m) ** 2 + (Y - s) ** 2 + s).mean(),
])
def test_others(loss):
    assert taken(loss)[0] is None


def test_facts():
    def look(*factors):
        seen = gaussian_nll.Density()
        for f in factors:
            out = NET(X)
            seen.take(graph.base(f * -Normal(torch.sigmoid(out[:, 0]), out[:, 1].exp()).log_prob(Y).mean())[1])
        facts = seen.gather("gaussian_nll_loss")
        if facts is not None:  # PyTorch 2.1 cuts each axis by itself, also one that is taken whole
            facts["way"] = [op for op in facts["way"] if op != "slice"]
        return facts

    assert look(1.0, 1.0, 1.0) == {"kind": "normal", "larger": False, "way": ["sigmoid", "select", "linear"], "held": True}
    assert look(-1.0, -1.0)["larger"] and gaussian_nll.Density().gather("gaussian_nll_loss") is None
    assert look(-1.0, -0.3, 2.0) is None  # what an action was worth
