"""What the graph and the data tell of losses that are sums, of attention, of policies, and of labels that are the input one place on."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from vigil._torch import (
    agreement_loss,
    attention,
    autograd_grad_wrapper,
    broadcast_comparison,
    derivative_without_graph,
    gradient_penalty_without_graph,
    graph,
    log_probability_sign,
    loss_terms,
    operations,
    policy_gradient,
    saved_tensor_hooks,
    settings,
)
from vigil._torch.autograd import Walk
from vigil._torch.label_variation import LabelVariation
from vigil._torch.next_token_labels import NextPlace
from vigil._torch.zero_second_derivatives import ZeroSecondDerivatives

X = torch.rand(8, 6)
LAYER, MU, LOGVAR = nn.Linear(6, 6), nn.Linear(6, 3), nn.Linear(6, 3)


def divergence(sum_of=lambda x: x.sum(1).mean()):
    mu, logvar = MU(X), LOGVAR(X)
    return -0.5 * sum_of(1 + logvar - mu.pow(2) - logvar.exp())


def normal():
    mu, logvar = MU(X), LOGVAR(X)
    prior = torch.distributions.Normal(torch.zeros(8, 3), torch.ones(8, 3))
    return torch.distributions.kl_divergence(torch.distributions.Normal(mu, (0.5 * logvar).exp()), prior).sum(1).mean()


@pytest.mark.parametrize(
    "loss,expected",
    [
        (lambda: F.mse_loss(LAYER(X), X) + divergence(), ("mse_loss", 48, 1.0, "divergence")),
        (lambda: F.mse_loss(LAYER(X), X) + 0.1 * normal(), ("mse_loss", 48, 1.0, "divergence")),
        (lambda: F.binary_cross_entropy(LAYER(X).sigmoid(), X, reduction="sum") + divergence(torch.sum), ("binary_cross_entropy", 48, 48.0, "divergence")),
        (lambda: (LAYER(X) - X).pow(2).sum(1).mean() + divergence(), ("mse_loss", 48, 6.0, "divergence")),
        (lambda: ((LAYER(X) - X).pow(2).sum(1) + divergence(lambda x: x.sum(1))).mean(), ("mse_loss", 48, 6.0, "divergence")),
        (lambda: F.mse_loss(LAYER(X), X, reduction="none").sum(1).mean() + 8 * F.relu(MU(X)).abs().sum(1).mean(), ("mse_loss", 48, 6.0, "magnitudes")),
        (lambda: F.mse_loss(LAYER(X), X) + F.cross_entropy(MU(X), torch.zeros(8, dtype=torch.long)), ("mse_loss", 48, 1.0, "other")),
        (lambda: F.cross_entropy(MU(X), torch.zeros(8, dtype=torch.long)) + 1 - LAYER(X).sigmoid().mean(), ("cross_entropy", 8, 1.0, "other")),
        (lambda: F.cross_entropy(MU(X), torch.zeros(8, dtype=torch.long)) + F.cross_entropy(LOGVAR(X), torch.zeros(8, dtype=torch.long)), None),
        (lambda: F.mse_loss(LAYER(X), X), None),
        (lambda: F.mse_loss(LAYER(X), X) + F.mse_loss(MU(X), X[:, :3]), None),
        (lambda: divergence(), None),
    ],
)
def test_terms(loss, expected):
    found = loss_terms.of(graph.base(loss())[1])
    assert (found and (found["function"], found["places"], pytest.approx(found["weight"]), found["others"])) == expected


def test_factor_of_other_terms():
    found = loss_terms.of(graph.base(F.mse_loss(LAYER(X), X) - 0.3 * LAYER(X).sigmoid().mean() + 0.1 * LAYER(X).exp().mean())[1])
    assert found["others"] == "other" and found["factor"] == pytest.approx(0.3)


def test_label_of_one_term():
    output = LAYER(X)
    loss = (output - X).pow(2).sum(1).mean() + divergence()
    assert torch.allclose(loss_terms.label(loss.grad_fn, [output]), X, atol=1e-6)
    assert loss_terms.label(divergence().grad_fn, [output]) is None


@pytest.mark.parametrize(
    "loss",
    [
        lambda: F.mse_loss(LAYER(X), X) / 4,
        lambda: 0.5 * F.mse_loss(LAYER(X), X),
        lambda: F.mse_loss(LAYER(X), X, reduction="sum") / torch.tensor(8.0),
        lambda: (LAYER(X) - X).pow(2).sum() / X.numel(),
        lambda: F.cross_entropy(LAYER(X), torch.zeros(8, dtype=torch.long), weight=torch.ones(6)) * torch.tensor(2.0),
    ],
)
def test_what_the_script_saves_its_own_way_is_not_read(loss, monkeypatch):
    """A loss computed inside a checkpoint: reading what its nodes saved would compute it again."""
    read = []
    monkeypatch.setattr(saved_tensor_hooks, "_own_ways", True)  # as releases that do not say it take it once they have seen such a way
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: read.append(t) or t):
        value = loss()
    _, node = graph.base(value)
    graph.share(value.grad_fn)
    settings.node_settings(graph.find(node)[1])
    loss_terms.of(node)
    assert read == []


def maps(x):
    return attention.maps(list(_nodes(x.sum().grad_fn)))


def _nodes(node):
    seen, stack = {}, [node]
    while stack:
        node = stack.pop()
        if node is not None and id(node) not in seen:
            seen[id(node)] = node
            stack.extend(n for n, _ in node.next_functions)
    return seen.values()


MASK = torch.triu(torch.ones(6, 6, dtype=torch.bool), 1)


def by_hand(x, mask=None):
    scores = x @ x.transpose(1, 2)
    return (scores if mask is None else scores.masked_fill(mask, float("-inf"))).softmax(-1) @ x


@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_attention(dropout):
    layer = nn.MultiheadAttention(8, 2, dropout=dropout, batch_first=True)
    x = torch.randn(3, 6, 8)
    for weights in (False, True):
        assert maps(layer(x, x, x, need_weights=weights)[0]) == [{"length": 6, "maps": 1, "causal": 0}]
        assert maps(layer(x, x, x, need_weights=weights, attn_mask=MASK)[0]) == [{"length": 6, "maps": 1, "causal": 1}]
        assert maps(layer(x, x[:, :5], x[:, :5], need_weights=weights)[0]) is None


def test_attention_by_hand():
    x = torch.randn(3, 6, 8, requires_grad=True)
    assert maps(by_hand(x)) == [{"length": 6, "maps": 1, "causal": 0}]
    assert maps(by_hand(by_hand(x, MASK), MASK)) == [{"length": 6, "maps": 2, "causal": 2}]
    padding = torch.zeros(3, 1, 6, dtype=torch.bool)
    padding[:, :, 4:] = True
    assert maps(by_hand(x, padding)) == [{"length": 6, "maps": 1, "causal": 0}]
    left = (MASK | padding.flip(2)).float() * -1e9
    assert maps(((x @ x.transpose(1, 2)) + left).softmax(-1) @ x) == [{"length": 6, "maps": 1, "causal": 1}]
    prefix = MASK.clone()
    prefix[:, :3] = False
    assert maps(by_hand(x, prefix)) == [{"length": 6, "maps": 1, "causal": 1}]
    assert maps(torch.softmax(x @ x.transpose(1, 2), dim=0)) is None
    assert maps(nn.Linear(8, 3)(x)) is None


TOKENS = torch.randint(1, 20, (5, 13))


@pytest.mark.parametrize(
    "given,label,expected",
    [
        ([TOKENS[:, :-1]], TOKENS[:, 1:].reshape(-1), (12, 0, True, 1)),
        ([TOKENS[:, :-1]], TOKENS[:, 1:], (12, 0, True, 1)),
        ([TOKENS], TOKENS[:, 1:].reshape(-1), (13, 0, True, 1)),
        ([TOKENS], torch.cat([TOKENS[:, 1:], torch.full((5, 1), -100)], 1).reshape(-1), (13, 0, True, 1)),
        ([TOKENS[:, :-1].t()], TOKENS[:, 1:].t().reshape(-1), (12, 0, True, 1)),
        ([TOKENS * 2, TOKENS[:, :-1]], TOKENS[:, 1:].reshape(-1), (12, 1, False, 1)),
        ([TOKENS], torch.cat([TOKENS[:, 2:], torch.full((5, 2), -100)], 1).reshape(-1), (13, 0, True, 2)),
        ([TOKENS[:, :-1], TOKENS[:, 1:]], torch.cat([TOKENS[:, 2:], torch.full((5, 1), -100)], 1).reshape(-1), (12, 0, False, 2)),
        ([TOKENS[:, :-1]], TOKENS[:, 2:].reshape(-1), (12, 0, True, 2)),
        ([TOKENS.float()[:, :-2, None] / 7], TOKENS.float()[:, 2:, None] / 7, None),
        ([TOKENS], TOKENS.reshape(-1), None),
        ([torch.ones_like(TOKENS)], torch.ones_like(TOKENS), None),
        ([TOKENS], TOKENS.flip(1), None),
        ([TOKENS.float()[:, :-1, None] / 7], TOKENS.float()[:, 1:, None] / 7, (12, 0, True, 1)),
        ([torch.randn(13, 4)], torch.randint(0, 4, (13,)), None),
    ],
)
def test_labels_ahead(given, label, expected):
    ahead = NextPlace()
    ahead.called(given)
    ahead.labels(label)
    found = ahead.gather()
    assert (found and (found["length"], found["input"], found["alone"], found["places"])) == expected


VECTORS = nn.Parameter(torch.randn(5, 6))


def unit(x):
    return x / x.pow(2).sum(-1, keepdim=True).sqrt().clamp(min=1e-6)


@pytest.mark.parametrize(
    "logits,expected",
    [
        (lambda z: F.normalize(z, dim=1) @ F.normalize(VECTORS, dim=1).T, True),
        (lambda z: F.linear(F.normalize(z), F.normalize(VECTORS)), True),
        (lambda z: F.cosine_similarity(z.unsqueeze(1), VECTORS.unsqueeze(0), dim=-1), True),
        (lambda z: unit(z) @ unit(VECTORS).T, True),
        (lambda z: 16 * F.normalize(z, dim=1) @ F.normalize(VECTORS, dim=1).T, False),
        (lambda z: F.normalize(z, dim=1) @ F.normalize(VECTORS, dim=1).T * 16, False),
        (lambda z: F.normalize(z, dim=1) @ F.normalize(VECTORS, dim=1).T / 0.07, False),
        (lambda z: F.normalize(z, dim=1) @ VECTORS.T, False),
        (lambda z: z @ F.normalize(VECTORS, dim=1).T, False),
        (lambda z: F.normalize(z[:4], dim=1) @ F.normalize(z[4:], dim=1).T, False),  # pairs
        (lambda z: z @ VECTORS.T / 6**0.5, False),
        (lambda z: F.layer_norm(z, (6,)) @ VECTORS.T, False),
    ],
)
def test_cosines(logits, expected):
    out = logits(nn.Linear(6, 6)(X))
    loss = F.cross_entropy(out, torch.arange(len(out)) % out.shape[1])
    walk = Walk(graph.base(loss)[1])
    assert walk.head[0] == "cross_entropy" and walk.cosines == expected


PREDICTOR, OTHER = nn.Linear(6, 6), nn.Linear(6, 6)


def cosine(a, b):
    return F.cosine_similarity(a, b, dim=-1).mean()


@pytest.mark.parametrize(
    "loss,expected",
    [
        (lambda a, b: -cosine(PREDICTOR(a), b), True),
        (lambda a, b: -cosine(PREDICTOR(a), b) / 2 - cosine(PREDICTOR(b), a) / 2, True),
        (lambda a, b: 0.5 * -cosine(PREDICTOR(a), b) + 0.5 * -cosine(PREDICTOR(b), a), True),
        (lambda a, b: 2 - 2 * (F.normalize(a, dim=1) * F.normalize(b, dim=1)).sum(1).mean(), True),
        (lambda a, b: (1 - (F.normalize(a, dim=1) * F.normalize(b, dim=1)).sum(1)).mean(), True),
        (lambda a, b: -cosine(PREDICTOR(a), b.detach()), False),
        (lambda a, b: -cosine(PREDICTOR(a), b.detach()) / 2 - cosine(PREDICTOR(b), a.detach()) / 2, False),
        (lambda a, b: -cosine(PREDICTOR(a), X), False),
        (lambda a, b: -cosine(a, OTHER(X)), False),  # another network
        (lambda a, b: cosine(a, b), False),  # apart
        (lambda a, b: -cosine(a, b) + a.var(0).mean(), False),
        (lambda a, b: -cosine(a, b) + F.mse_loss(a, X), False),
        (lambda a, b: -cosine(a @ torch.linalg.inv(a.T @ a + torch.eye(6)), b), False),  # whitened
        (lambda a, b: F.mse_loss(a, b), False),
    ],
)
def test_agreement(loss, expected):
    assert agreement_loss.alone(graph.base(loss(LAYER(X), LAYER(X + 0.1)))[1]) == expected


YES = (torch.arange(8.0) % 2)[:, None]
ONE_HOT = F.one_hot(torch.arange(8) % 6, 6).float()


@pytest.mark.parametrize(
    "loss,expected",
    [
        (lambda p: -(YES * p.log() + (1 - YES) * (1 - p).log()).mean(), (2, 0, True)),
        (lambda p: (YES * p.log() + (1 - YES) * (1 - p).log()).mean(), (0, 2, True)),
        (lambda p: -(YES * p.log() - (1 - YES) * torch.log1p(-p)).mean(), (1, 1, True)),
        (lambda p: -(YES * (p + 1e-7).log() + (1 - YES) * (1 - p + 1e-7).log()).sum() / 8, (2, 0, True)),
        (lambda p: (YES * p.clamp(1e-6, 1 - 1e-6).log()).sum(1).mean() * -1, (1, 0, True)),
        (lambda p: (ONE_HOT * LAYER(X).softmax(1).log()).sum(1).mean(), (0, 1, True)),
        (lambda p: -(ONE_HOT * LAYER(X).log_softmax(1)).sum(1).mean(), (1, 0, True)),
        (lambda p: LAYER(X).softmax(1)[torch.arange(8), torch.arange(8) % 6].log().mean(), (0, 1, True)),
        (lambda p: F.logsigmoid(LAYER(X)).mean() - F.logsigmoid(-MU(X)).mean(), (1, 1, False)),
        (lambda p: (2 * YES * p.log()).mean(), None),  # may be worths
        (lambda p: -(p * p.log()).mean(), None),  # entropy
        (lambda p: p.mean(), None),
        (lambda p: (p / p.sum()).log().mean(), None),
        (lambda p: F.binary_cross_entropy(p, YES.expand(8, 6)), None),
    ],
)
def test_likelihood(loss, expected):
    found = log_probability_sign.signs(graph.base(loss(LAYER(X).sigmoid()))[1])
    assert (found and (found["larger"], found["smaller"], found["one"])) == expected


def test_places_of_labels():
    features = LabelVariation()
    labels = (torch.rand(600, 3) < torch.tensor([0.1, 0.5, 0.9])).float()
    for part in labels.split(100):
        features.take(part)
    found = features.gather()
    mean = labels.mean(0).double()
    assert found["places"] == 3 and found["samples"] == 600 and found["floor"] == 0
    assert found["variance"] == pytest.approx(labels.double().var(0).mean().item())
    assert found["entropy"] == pytest.approx(F.binary_cross_entropy(mean, mean).item())
    features.take(labels[:, :2])
    assert features.gather() is None


def test_classes_at_places():
    features = LabelVariation()
    labels = (torch.rand(600, 4, 2) * torch.tensor([1.0, 3.0])).long()  # class 0 alone in the first column, of three in the second
    for part in labels.split(100):
        features.take(part)
    found = features.gather()
    assert found["places"] == 8 and found["samples"] == 600
    assert found["entropy"] == pytest.approx(math.log(3) / 2, rel=0.01)
    features.take(labels + 20)  # tokens
    assert features.gather() is None


POLICY = nn.Linear(6, 4)
ACTIONS, REWARDS = torch.randint(0, 4, (8,)), torch.tensor([0.3, -1.2, 2.1, 0.7, -0.4, 1.6, -2.2, 0.9])


def chosen():
    return torch.distributions.Categorical(logits=POLICY(X)).log_prob(ACTIONS)


def ratio():
    return (chosen() - chosen().detach()).exp()


def drawn():
    return torch.distributions.Normal(POLICY(X), torch.ones(4)).log_prob(torch.zeros(8, 4)).sum(1)


MEAN = REWARDS.mean()


@pytest.mark.parametrize(
    "loss,count",
    [
        (lambda: (chosen() * REWARDS).mean(), 1),
        (lambda: -(chosen() * REWARDS).mean(), 1),
        (lambda: (chosen() * REWARDS).sum() / -8, 1),
        (lambda: (chosen() * (MEAN - REWARDS)).mean(), 1),
        (lambda: (-chosen() * REWARDS).mean() + 0.5 * F.mse_loss(POLICY(X)[:, 0], REWARDS), 1),
        (lambda: (REWARDS * F.log_softmax(POLICY(X), 1).gather(1, ACTIONS[:, None]).squeeze(1)).mean() - 0.01 * POLICY(X).softmax(1).log().mean(), 1),
        (lambda: -torch.stack([lp * r for lp, r in zip(chosen(), REWARDS)]).sum(), 8),
        (lambda: sum(lp * -r for lp, r in zip(chosen(), REWARDS.tolist())), 8),
        (lambda: -torch.min(ratio() * REWARDS, ratio().clamp(0.8, 1.2) * REWARDS).mean(), 1),
        (lambda: torch.max(-REWARDS * ratio(), -REWARDS * ratio().clamp(0.8, 1.2)).mean(), 1),
        (lambda: -(drawn() * REWARDS).mean(), 1),
        (lambda: F.cross_entropy(POLICY(X), ACTIONS), None),
        (lambda: -chosen().mean(), None),
        (lambda: ((POLICY(X) - 1).pow(2) * REWARDS[:, None].abs()).mean(), None),
    ],
)
def test_policy(loss, count):
    found = policy_gradient.of(graph.base(loss())[1])
    assert (found and found["terms"]) == count


def of_scores(scores):
    return -(torch.distributions.Categorical(logits=scores).log_prob(ACTIONS) * REWARDS).mean()


@pytest.mark.parametrize(
    "loss,twice",
    [
        (lambda: of_scores(POLICY(X).softmax(1)), True),
        (lambda: of_scores(POLICY(X)), None),
        (lambda: -(F.log_softmax(POLICY(X).softmax(1), 1).gather(1, ACTIONS[:, None]).squeeze(1) * REWARDS).mean(), True),
        (lambda: -(POLICY(X).softmax(1).log().gather(1, ACTIONS[:, None]).squeeze(1) * REWARDS).mean(), None),
        (lambda: -(torch.distributions.Categorical(probs=POLICY(X).softmax(1)).log_prob(ACTIONS) * REWARDS).mean(), None),
    ],
)
def test_policy_of_probabilities(loss, twice):
    assert policy_gradient.of(graph.base(loss())[1]).get("twice") is twice


def test_lost_terms():
    x = X.clone().requires_grad_(True)
    output = LAYER(x).tanh()
    (constant,) = torch.autograd.grad(output.sum(), x, retain_graph=True)
    (kept,) = torch.autograd.grad(output.sum(), x, create_graph=True)
    assert gradient_penalty_without_graph.adds_constant((-output.mean() + 10 * (constant.norm(2, 1) - 1).pow(2).mean()).grad_fn)
    assert not gradient_penalty_without_graph.adds_constant((-output.mean() + 10 * (kept.norm(2, 1) - 1).pow(2).mean()).grad_fn)
    assert not gradient_penalty_without_graph.adds_constant(F.mse_loss(output, X).grad_fn)


def test_what_was_added_before_gradients_were_taken_is_not_made_of_them():
    """A sum that begins with 0, and a gradient that is only looked at."""
    x = X.clone().requires_grad_(True)
    output = LAYER(x).tanh()
    loss = 0.0 + F.mse_loss(output, X)
    looked_at = output.sum()
    (gradient,) = torch.autograd.grad(looked_at, x, retain_graph=True)
    since = gradient_penalty_without_graph.number(looked_at.grad_fn)
    assert not gradient_penalty_without_graph.adds_constant((loss + 1e-4 * LAYER.weight.abs().sum()).grad_fn, since) or not since  # PyTorch 1.13 does not tell which was first
    assert gradient_penalty_without_graph.adds_constant((loss + 10 * gradient.square().mean()).grad_fn, since)


@pytest.mark.parametrize(
    "loss,found",
    [
        (lambda u, d, t, y: (d + 0.3 * u - 1.0).pow(2).mean(), True),
        (lambda u, d, t, y: ((d - u) ** 2).mean() + 10 * (u[0] - 1).pow(2).sum(), True),
        (lambda u, d, t, y: F.mse_loss(d + u, torch.zeros_like(u)), True),
        (lambda u, d, t, y: (u * 0.5 + d).abs().sum() / 8, True),
        (lambda u, d, t, y: ((u * 0.5 + d) * 1.0).square().mean(), True),
        (lambda u, d, t, y: F.mse_loss(u, y), False),
        (lambda u, d, t, y: u.mean() + y.mean(), False),
        (lambda u, d, t, y: (u.mean(0) + d.mean(0)).pow(2).mean(), False),
    ],
)
def test_residual_of_constants(loss, found):
    """A derivative without a graph next to the output itself."""
    t = torch.rand(8, 1, requires_grad=True)
    u = F.linear(t, LAYER.weight[:1, :1]).tanh()
    (d,) = torch.autograd.grad(u, t, torch.ones_like(u), retain_graph=True)
    value = loss(u, d, t, torch.rand(8, 1))
    told = operations.shape_of(u.grad_fn, 0) is not None and gradient_penalty_without_graph.number(u.grad_fn) > 0  # older releases say neither shapes nor order
    assert derivative_without_graph.adds_constant(value.grad_fn, gradient_penalty_without_graph.number(u.grad_fn), [(8, 1)]) == (found and told)


def test_all_who_watch_grad_are_told(monkeypatch):
    """By one wrapper; an iterator goes to all of them, and to the call."""
    original = getattr(torch.autograd.grad, "__wrapped__", torch.autograd.grad)
    monkeypatch.setattr(torch.autograd, "grad", original)
    begun, ended = [], []
    autograd_grad_wrapper.grad(lambda args, kwargs: begun.append(list(args[1])))
    autograd_grad_wrapper.grad(lambda args, kwargs: begun.append(list(args[1])) or ended.append)
    assert torch.autograd.grad.__wrapped__ is original
    gradients = torch.autograd.grad(LAYER(X).sum(), LAYER.parameters())
    assert [[id(p) for p in inputs] for inputs in begun] == [[id(p) for p in LAYER.parameters()]] * 2
    assert len(ended) == 1 and ended[0] is gradients and all(g.shape == p.shape for g, p in zip(gradients, LAYER.parameters()))


def test_gradients_are_what_they_are(monkeypatch):
    """Whatever torch.autograd.grad takes it takes still."""
    seen = []

    class Look(object):
        open, constants, of_scalars, since, shapes, derived = True, 0, 0, 1 << 63, [], False
        parameters, straight = type("P", (), {"known": frozenset()}), ZeroSecondDerivatives(None)

        def here(self):
            seen.append(1)
            return True

    class Tracker(object):
        in_backward, facts = False, type("F", (), {"look": Look()})

    original = getattr(torch.autograd.grad, "__wrapped__", torch.autograd.grad)
    monkeypatch.setattr(torch.autograd, "grad", original)
    gradient_penalty_without_graph.watch_grad(Tracker)
    x = X.clone().requires_grad_(True)
    output = LAYER(x).tanh().sum()
    by_one = torch.autograd.grad(output, (p for p in LAYER.parameters()), retain_graph=True)
    assert all(torch.equal(a, b) for a, b in zip(by_one, original(output, list(LAYER.parameters()), retain_graph=True)))
    assert torch.autograd.grad(output, LAYER.weight, retain_graph=True)[0].shape == (6, 6) and Tracker.facts.look.of_scalars == 0
    assert torch.autograd.grad(outputs=output, inputs=[x], retain_graph=True)[0].shape == x.shape and Tracker.facts.look.of_scalars == 1
    torch.autograd.grad(output, x, create_graph=True)
    rows = LAYER(x)
    torch.autograd.grad(rows, x, torch.ones_like(rows), retain_graph=True)
    assert (Tracker.facts.look.constants, Tracker.facts.look.of_scalars) == (1, 1) and seen
    shared = LAYER(x)
    torch.autograd.grad(shared.sum(), shared)
    assert Tracker.facts.look.of_scalars == 1  # what several tasks share


COLUMN, ROW, VAR = nn.Linear(6, 1), torch.rand(8), nn.Linear(6, 1)


@pytest.mark.skipif(not hasattr((torch.ones(1, requires_grad=True) * 2).grad_fn, "_input_metadata"), reason="this PyTorch does not tell shapes")
@pytest.mark.parametrize(
    "loss,way",
    [
        (lambda mu, v: 0.5 * (v + (ROW - mu) ** 2 * torch.exp(-v)).mean(), "mul mean add mul pow sub linear"),
        (lambda mu, v: -torch.distributions.Normal(mu, v.exp()).log_prob(ROW).mean(), "neg mean sub sub div neg pow sub linear"),
        (lambda mu, v: v.mean() + 0.5 * F.huber_loss(mu, ROW[:, None]) + (mu - ROW).abs().mean(), "add mean abs sub linear"),
        (lambda mu, v: (v.exp() - ROW * v).mean(), "mean sub mul linear"),
        (lambda mu, v: -torch.distributions.Poisson(mu.exp()).log_prob((ROW * 9).floor()).mean(), "neg mean sub sub xlogy exp linear"),
        (lambda mu, v: -torch.distributions.Bernoulli(logits=mu).log_prob(ROW.round()).mean(), "neg mean neg binary_cross_entropy_with_logits linear"),
        (lambda mu, v: -torch.distributions.Bernoulli(logits=mu[:, 0]).log_prob(ROW.round()).mean(), None),
        (lambda mu, v: 0.5 * (v + (ROW[:, None] - mu) ** 2 * torch.exp(-v)).mean(), None),
        (lambda mu, v: v.mean() + (mu[:, 0].unsqueeze(1) - ROW).abs().mean(), None),
        (lambda mu, v: v.mean() + (mu - mu[:, 0]).abs().mean(), None),
    ],
)
def test_columns_against_rows_on_any_branch(loss, way):
    found = broadcast_comparison.aside(loss(COLUMN(X), VAR(X)).grad_fn, 64)
    assert (None if found is None else (" ".join(found["way"]), found["from"], found["to"])) == (None if way is None else (way, [8, 1], [8, 8]))


CODE, READ = nn.Linear(6, 3), nn.Linear(3, 6)


@pytest.mark.parametrize(
    "code,operations,behind",
    [
        (lambda z: torch.round(z * 3) / 3, ("round",), True),
        (lambda z: torch.sign(z), ("sign",), True),
        (lambda z: torch.div(z, 0.5, rounding_mode="floor"), ("div(rounding_mode)",), True),
        (lambda z: torch.bernoulli(z.sigmoid()), ("bernoulli",), True),
        (lambda z: z + (torch.round(z) - z).detach(), (), False),
        (lambda z: torch.sign(z) * z.abs().sqrt(), (), False),
        (lambda z: torch.round(z) + 0.1 * z, (), False),
        (lambda z: z.tanh(), (), False),
    ],
)
def test_what_stands_behind_an_operation_without_slope(code, operations, behind):
    walk = Walk(F.mse_loss(READ(code(CODE(X))), X).grad_fn)
    assert walk.flat == operations
    assert walk.behind == ({id(CODE.weight), id(CODE.bias)} if behind else set())
