"""What a loss asks of a critic's scores is read from its gradient, whatever the loss."""

import pytest
import torch
import torch.nn.functional as F
from vigil._torch import adversary

N = 64
NOISE = torch.randn(N, generator=torch.Generator().manual_seed(0))
ONE, ZERO = torch.ones(N), torch.zeros(N)


def entropy(label):
    return lambda s: F.binary_cross_entropy_with_logits(s, label)


def of_probabilities(label):
    return lambda s: F.binary_cross_entropy(s.clamp(0.01, 0.99), label)


def squares(label):
    return lambda s: 0.5 * F.mse_loss(s, label)


# critic's loss of data, of what was made; the maker's own
LOSSES = {
    "cross-entropy": (entropy(ONE), entropy(ZERO), entropy(ONE)),
    "smoothed": (entropy(0.9 * ONE), entropy(ZERO), entropy(ONE)),
    "minimax": (entropy(ONE), entropy(ZERO), lambda s: -entropy(ZERO)(s)),
    "squares": (squares(ONE), squares(ZERO), squares(ONE)),
    "Wasserstein": (lambda s: -s.mean(), lambda s: s.mean(), lambda s: -s.mean()),
    "the other way round": (lambda s: s.mean(), lambda s: -s.mean(), lambda s: s.mean()),
    "hinge": (lambda s: F.relu(1 - s).mean(), lambda s: F.relu(1 + s).mean(), lambda s: -s.mean()),
    "softplus": (lambda s: F.softplus(-s).mean(), lambda s: F.softplus(s).mean(), lambda s: F.softplus(-s).mean()),
}


def pull(loss, scores):
    scores = scores.clone().requires_grad_(True)
    loss(scores).backward()
    return adversary.pull(scores.detach(), scores.grad)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("mean,spread", [(0.0, 0.01), (0.3, 0.2), (-0.5, 0.1)])
def test_pulls(name, mean, spread):
    data, made, maker = LOSSES[name]
    scores = mean + spread * NOISE
    d, m = pull(data, scores + 0.2), pull(made, scores)
    assert not adversary.alike(d, m) and adversary.alike(pull(data, scores), d)
    assert not adversary.helps(pull(maker, scores + 0.02), m, d)
    assert adversary.helps(pull(lambda s: s.mean() * m.sign, scores) if m.zero is None else pull(made, scores + 0.02), m, d)


def test_probabilities():
    scores = 0.5 + 0.05 * NOISE
    d, m = pull(of_probabilities(ONE), scores + 0.1), pull(of_probabilities(ZERO), scores)
    assert not adversary.alike(d, m) and not adversary.helps(pull(of_probabilities(ONE), scores), m, d) and adversary.helps(m, m, d)


@pytest.mark.parametrize(
    "loss",
    [
        lambda s: F.mse_loss(s, torch.randn(N)),  # every sample has a target of its own
        lambda s: F.binary_cross_entropy_with_logits(s, (torch.rand(N) > 0.5).float()),
        lambda s: (s * 0).sum(),
        lambda s: F.relu(s).mean(),  # some count, and some do not
    ],
)
def test_nothing_to_tell(loss):
    torch.manual_seed(0)
    found = pull(loss, 0.1 * torch.randn(N))
    assert found is None or found.zero is None and found.sign == 1


@pytest.mark.parametrize(
    "last,expected",
    [(torch.sigmoid, True), (lambda x: torch.sigmoid(x).squeeze(1), True), (lambda x: x, False), (torch.tanh, False), (lambda x: 2 * torch.sigmoid(x), False)],
)
def test_squashed(last, expected):
    assert adversary.squashed(last(torch.nn.Linear(3, 1)(torch.randn(N, 3)))) is expected


class Root(object):
    def __init__(self, module):
        self.module = module

    def inner(self):
        return self.module


class State(object):
    def __init__(self, module):
        self.module = module

    def has(self, parameter):
        return any(p is parameter for p in self.module.parameters())


def test_holds_of_one_module():
    """A module that has generator and critic as parts is called for the generator."""
    both = torch.nn.ModuleDict({"generator": torch.nn.Linear(2, 3), "critic": torch.nn.Linear(3, 1)})
    maker, critic = Root(both), Root(both["critic"])
    assert [adversary._holds(State(both[n]), critic, maker) for n in ("generator", "critic")] == [False, True]
    assert [adversary._holds(State(both[n]), maker, critic) for n in ("generator", "critic")] == [True, False]
