"""The divergence from a normal prior, in the spellings of variational autoencoders: its sign, and whom it trains."""

import pytest
import torch
from torch.distributions import Normal, kl_divergence
from torch.nn import functional as F

from vigil._torch import graph, vae_kl_divergence

ENCODER, DECODER, X = torch.nn.Linear(8, 6), torch.nn.Linear(3, 8), torch.randn(16, 8)


def by_deviation(mu, std):
    return 0.5 * (mu**2 + std**2 - 2 * torch.log(std) - 1).sum()


def by_square(mu, std):
    return -torch.sum(1 + torch.log(std.pow(2)) - mu.pow(2) - std.pow(2)) / 2


SPELLINGS = [
    lambda mu, logvar: -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean(),
    lambda mu, logvar: 0.5 * (mu * mu + logvar.exp() - logvar - 1).sum(1).mean(0),
    lambda mu, logvar: (0.5 * (mu.square() + (0.5 * logvar).exp() ** 2 - 1) - 0.5 * logvar).mean(),
    lambda mu, logvar: kl_divergence(Normal(mu, (0.5 * logvar).exp()), Normal(0.0, 1.0)).sum(1).mean(),
    lambda mu, logvar: kl_divergence(Normal(mu, F.softplus(logvar)), Normal(torch.zeros_like(mu), torch.ones_like(mu))).sum(),
    lambda mu, logvar: by_deviation(mu, F.softplus(logvar)),
    lambda mu, logvar: by_square(mu, logvar.exp()),
    lambda mu, logstd: 0.5 * (torch.exp(2 * logstd) + mu**2 - 1 - 2 * logstd).sum(),
]


def of(kl, beta=1.0, cut=False, errors=lambda made: F.mse_loss(made, X, reduction="none").sum(1).mean()):
    mu, logvar = ENCODER(X).chunk(2, 1)
    z = mu + (0.5 * logvar).exp() * torch.randn_like(mu)
    loss = errors(DECODER(z.detach() if cut else z)) + beta * kl(mu, logvar)
    return vae_kl_divergence.of(graph.base(loss)[1])


@pytest.mark.parametrize("kl", SPELLINGS)
def test_spellings(kl):
    assert of(kl) == {"sign": 1}
    assert of(kl, 0.0) == {"sign": 1}  # a factor that is to grow
    assert of(kl, -1.0) == {"sign": -1}
    assert of(lambda *at: -kl(*at), 0.0) == {"sign": -1}
    assert of(kl, cut=True) == {"sign": 1, "apart": True}
    assert of(kl, cut=True, errors=lambda made: ((made - X) ** 2).sum()) == {"sign": 1, "apart": True}


@pytest.mark.parametrize("kl", [
    lambda mu, logvar: mu.pow(2).mean(),
    lambda mu, logvar: (logvar + mu.pow(2) / logvar.exp()).mean(),  # how likely something is
    lambda mu, logvar: Normal(mu, logvar.exp()).log_prob(torch.zeros(16, 3)).sum(),
    lambda mu, logvar: Normal(mu, logvar.exp()).entropy().sum(),
])
def test_others(kl):
    assert of(kl) is None and of(kl, -1.0) is None
