"""The parts that facts are made of, each alone: summaries of values, ways through the autograd graph, kinds of modules."""

import math
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from vigil._torch import autograd, module_kinds, summary
from vigil._torch.inputs import Inputs
from vigil._torch.parameters import _differ

X = torch.randn(8, 6, generator=torch.Generator().manual_seed(0))
NAN = float("nan")
INF = float("inf")

VALUES = [
    ("ordinary", torch.tensor([[1.0, 2.0], [3.0, 6.0]]), dict(elements=4, min=1.0, max=6.0, mean=3.0, std=pytest.approx(math.sqrt(3.5)), zeros=0.0, nonfinite=0, same_rows=False)),
    ("constant", torch.full((5, 3), 0.1), dict(min=pytest.approx(0.1), std=0.0, same_rows=True)),
    ("zeros", torch.zeros(4), dict(mean=0.0, zeros=1.0, same_rows=True)),
    ("not finite", torch.tensor([NAN, 1.0, INF, 3.0]), dict(elements=4, min=1.0, max=3.0, mean=2.0, std=1.0, nonfinite=2, same_rows=False)),
    ("nothing finite", torch.tensor([NAN, INF]), dict(nonfinite=2)),
    ("half", torch.tensor([[60000.0], [-60000.0]], dtype=torch.float16), dict(mean=0.0, std=60000.0)),
    ("bfloat16", torch.tensor([1.0, 2.0], dtype=torch.bfloat16), dict(mean=1.5)),
    ("whole numbers", torch.tensor([[1, 2], [1, 2]]), dict(min=1.0, max=2.0, mean=1.5, same_rows=True)),
    ("truth", torch.tensor([True, False]), dict(mean=0.5, zeros=0.5, same_rows=False)),
    ("large", torch.tensor([1e30, -1e30]), dict(mean=0.0, std=pytest.approx(1e30))),
    ("small", torch.tensor([1e-30, -1e-30]), dict(std=pytest.approx(1e-30))),
    ("transposed", torch.arange(6.0).reshape(2, 3).t(), dict(elements=6, mean=2.5)),
    ("equal at first sight", torch.cat([torch.zeros(3, 40), torch.eye(3)], 1), dict(same_rows=False)),
    ("one sample", torch.ones(1, 4), dict(same_rows=False)),
    ("a number", torch.tensor(2.0), dict(elements=1, mean=2.0, std=0.0, same_rows=False)),
]


@pytest.mark.parametrize("tensor,expected", [v[1:] for v in VALUES], ids=[v[0] for v in VALUES])
def test_values(tensor, expected):
    numbers = summary.Numbers()
    got = summary.values(tensor, numbers).gather(numbers.read())
    assert {k: got[k] for k in expected} == expected


@pytest.mark.parametrize("tensor", [v[1] for v in VALUES], ids=[v[0] for v in VALUES])
def test_as_on_a_device(tensor):
    """What a device computes without being waited for is the same."""
    x = tensor.reshape(-1)
    x = x.double() if not x.is_floating_point() or x.element_size() < 4 else x
    here = summary._at_once(x)
    there = summary._on_device(x, tensor if tensor.dim() and tensor.shape[0] > 1 else None).tolist()[:6]
    if here[5] == x.numel():
        here, there = here[4:], there[4:]
    assert there == pytest.approx(here, rel=1e-5, nan_ok=True)


@pytest.mark.parametrize("tensor", [torch.empty(0), torch.zeros(2, dtype=torch.complex64), torch.zeros(2, device="meta"), torch.eye(2).to_sparse(), None, "text"])
def test_no_values(tensor):
    assert summary.values(tensor, summary.Numbers()) is None


def test_large_ones_are_looked_at_in_part():
    numbers = summary.Numbers()
    for x in (torch.zeros(1000, 1000), torch.zeros(1000, 1000).t(), torch.zeros(4, 64, 64, 64).to(memory_format=torch.channels_last)):
        got = summary.values(x, numbers).gather(numbers.read())
        assert got["elements"] <= summary.MOST and got["same_rows"]


def leaf(*shape):
    return nn.Parameter(torch.randn(*shape))


W, V = leaf(6, 4), leaf(4, 1)
CONV, NORM, LSTM, ATTENTION = nn.Conv1d(6, 4, 1), nn.BatchNorm1d(4), nn.LSTM(6, 4), nn.MultiheadAttention(6, 2)
Y = torch.tensor([0, 1, 2, 3] * 2)

GRAPHS = [
    ("cross entropy", lambda: F.cross_entropy(X @ W, Y), ["cross_entropy", "linear"], 1, 0),
    ("scaled", lambda: F.cross_entropy(X @ W, Y) / 4 * 128.0, ["cross_entropy", "linear"], 1, 0),
    ("of a sequence", lambda: F.cross_entropy(CONV(X[:, :, None]), Y[:, None]), ["cross_entropy", "convolution"], 1, 0),
    ("softmax twice", lambda: F.cross_entropy(torch.softmax(X @ W, 1), Y), ["cross_entropy", "softmax", "linear"], 1, 0),
    ("by hand", lambda: ((torch.tanh(X @ W) @ V - 1) ** 2).mean(), ["mean", "pow", "sub", "linear"], 2, 1),
    ("target first", lambda: ((1 - X @ W) ** 2).mean(), ["mean", "pow", "sub", "linear"], 1, 0),
    ("two linear ones", lambda: F.mse_loss(F.linear(X, W.t()) @ V, X[:, :1]), ["mse_loss", "linear"], 2, 0),
    ("dropout between", lambda: F.mse_loss(F.dropout(X @ W, 0.5) @ V, X[:, :1]), ["mse_loss", "linear"], 2, 0),
    ("relu between", lambda: F.mse_loss(F.relu(X @ W) @ V, X[:, :1]), ["mse_loss", "linear"], 2, 1),
    ("a slope of one between", lambda: F.mse_loss(F.leaky_relu(X @ W, 1.0) @ V, X[:, :1]), ["mse_loss", "linear"], 2, 0),
    ("a slope between", lambda: F.mse_loss(F.leaky_relu(X @ W) @ V, X[:, :1]), ["mse_loss", "linear"], 2, 1),
    ("product between", lambda: F.mse_loss(((X @ W) * (X @ W)) @ V, X[:, :1]), ["mse_loss", "linear"], 3, 1),
    ("normalisation", lambda: NORM(X @ W).sum(), ["sum", "batch_norm"], 1, 0),
    ("log of a sigmoid", lambda: -torch.log(torch.sigmoid(X @ W)).mean(), ["neg", "mean", "log", "sigmoid", "linear"], 1, 0),
    ("binary", lambda: F.binary_cross_entropy(torch.sigmoid(X @ W), torch.ones(8, 4)), ["binary_cross_entropy", "sigmoid", "linear"], 1, 0),
    ("dropout of the output", lambda: F.cross_entropy(F.dropout(X.repeat(9, 1) @ W, 0.5), Y.repeat(9)), ["cross_entropy", "dropout", "linear"], 1, 0),
    ("dropout of whole channels", lambda: F.cross_entropy(F.dropout1d(CONV(X.repeat(9, 1)[:, :, None]), 0.3), Y.repeat(9)[:, None]), ["cross_entropy", "dropout", "convolution"], 1, 0),
    ("a mask of ones and zeros", lambda: F.mse_loss((X @ W) * (X[:, :4] > 0).float(), X[:, :4]), ["mse_loss", "mul", "linear"], 1, 0),
    ("with a penalty", lambda: W.pow(2).sum() + F.cross_entropy(X @ W, Y), ["add", "sum", "pow"], 1, 0),
]


@pytest.mark.parametrize("loss,head,weighted,non_linear", [g[1:] for g in GRAPHS], ids=[g[0] for g in GRAPHS])
def test_graph(loss, head, weighted, non_linear):
    with torch.enable_grad(), warnings.catch_warnings():
        warnings.simplefilter("error")
        graphs = autograd.Graphs()
        graphs.take(loss())
    got = graphs.gather([("w", W, False), ("unused", leaf(2), False)])
    assert got["complete"] and got["parts"] == 1 and (got["head"], got["weighted"], got["non_linear"]) == (head, weighted, non_linear)
    assert got.get("unreached") == (["unused"] if id(W) in graphs.reached else ["w", "unused"])


MASK = (X[:, :4] > 0).float()
SHAPES_ARE_TOLD = hasattr((torch.ones(1, requires_grad=True) * 2).grad_fn, "_input_metadata")


def dice(p, smooth=1.0):
    return 1 - (2 * (p * MASK).sum() + smooth) / (p.sum() + MASK.sum() + smooth)


def dice_each(p):
    p, m = p.flatten(1), MASK.flatten(1)
    return (1 - 2 * (m * p).sum(1) / (p.sum(1) + m.sum(1)).clamp(min=1e-6)).mean()


def dice_of_squares(p):
    return 1 - 2 * torch.sum(p * MASK) / (torch.sum(p * p) + torch.sum(MASK * MASK) + 1e-6)


def jaccard(p):
    common = (p * MASK).sum()
    return -torch.log((common + 1) / (p.sum() + MASK.sum() - common + 1))


def weighted_mean(p):
    return ((p * X[:, :4]).sum(1) / p.sum(1)).mean()


@pytest.mark.parametrize(
    "loss,found",
    [
        (lambda: dice(X @ W), "linear"),
        (lambda: dice(torch.sigmoid(X @ W)), "sigmoid"),
        (lambda: dice((X @ W).softmax(1)), "softmax"),
        (lambda: dice_each(X @ W), "linear"),
        (lambda: dice_of_squares(X @ W), "linear"),
        (lambda: dice_of_squares((X @ W).sigmoid()), "sigmoid"),
        (lambda: jaccard(X @ W), "linear"),
        (lambda: 0.5 * dice(X @ W) + 0.5 * F.binary_cross_entropy_with_logits(X @ W, MASK), "linear"),
        (lambda: weighted_mean(X @ W), None),
        (lambda: (X @ W * MASK).sum() / MASK.sum(), None),
        (lambda: F.mse_loss(X @ W, X[:, :4]), None),
    ],
)
def test_overlap(loss, found):
    graphs = autograd.Graphs()
    with torch.enable_grad():
        graphs.take(loss())
    assert graphs.overlap == (found and (found, False))


def score(p, smooth=1.0):
    return (2 * (p * MASK).sum((0, 1)) + smooth) / (p.sum((0, 1)) + MASK.sum((0, 1)) + smooth)


def crossed(x):
    p = x.sigmoid().clamp(1e-6, 1 - 1e-6)
    return -(MASK * p.log() + (1 - MASK) * (1 - p).log()).mean()


@pytest.mark.parametrize(
    "loss,grows",
    [
        (lambda x: score(x.sigmoid()), True),
        (lambda x: 1 + score(x.sigmoid()).mean(), True),
        (lambda x: -dice_each(x.sigmoid()), True),
        (lambda x: F.binary_cross_entropy_with_logits(x, MASK) + score(x.sigmoid()), True),
        (lambda x: 0.3 * crossed(x) + score(x.sigmoid()), True),
        (lambda x: F.binary_cross_entropy_with_logits(x, MASK) - dice(x.sigmoid()), True),
        (lambda x: F.binary_cross_entropy_with_logits(x, MASK) - score(x.sigmoid()), False),
        (lambda x: F.binary_cross_entropy_with_logits(x, MASK) - score(x.sigmoid()).log(), False),
        (lambda x: crossed(x) + 1 - score(x.sigmoid()), False),
        (lambda x: F.binary_cross_entropy_with_logits(x, 1 - MASK) + score(x.sigmoid()), False),  # what is to be left out
        (lambda x: x.pow(2).mean() + score(x.sigmoid()), False),
    ],
)
def test_what_grows_with_the_overlap(loss, grows):
    graphs = autograd.Graphs()
    with torch.enable_grad():
        graphs.take(loss(X @ W))
    assert graphs.overlap == ("sigmoid", grows)


@pytest.mark.parametrize("loss", [
    lambda p: (p * MASK).sum() / p.sum(),  # how much falls on a mask
    lambda p: ((p * MASK).sum(1) / p.sum(1)).mean(),
])
def test_a_share_is_no_overlap_that_grows(loss):
    graphs = autograd.Graphs()
    with torch.enable_grad():
        graphs.take(loss((X @ W).sigmoid()))
    assert graphs.overlap == ("sigmoid", False)


@pytest.mark.parametrize(
    "prepare,across",
    [
        (lambda x: x.log_softmax(2), False),
        (lambda x: x.log_softmax(-1), False),
        (lambda x: x.log_softmax(1), True),
        (lambda x: x.log_softmax(0), True),
        (lambda x: x.transpose(0, 1).log_softmax(2).transpose(0, 1), False),
        (lambda x: x.permute(1, 2, 0).log_softmax(1).permute(2, 0, 1), False),
    ],
)
def test_axis_of_ctc(prepare, across):
    x = (torch.randn(12, 5, 6) @ leaf(6, 4)).log_softmax(-1) * 1.0
    graphs = autograd.Graphs()
    graphs.take(F.ctc_loss(prepare(x), torch.ones(5, 3, dtype=torch.long), torch.full((5,), 12), torch.full((5,), 3)))
    assert graphs.across == (across and SHAPES_ARE_TOLD)


@pytest.mark.parametrize("made,across", [
    (lambda x: F.normalize(x, dim=0), True),
    (lambda x: F.normalize(torch.relu(x), dim=0), True),
    (lambda x: x / x.norm(dim=0, keepdim=True).clamp(min=1e-6), True),
    (lambda x: x / (x.norm(dim=-2) + 1e-6), True),
    (lambda x: F.normalize(x, dim=1), False),
    (lambda x: F.normalize(x), False),
    (lambda x: F.normalize(x.T, dim=0).T, False),
    (lambda x: x / x.norm(), False),
    (lambda x: (x - x.mean(0)) / x.std(0), False),  # each column by itself, as decorrelated views want it
])
def test_axis_of_a_norm(made, across):
    a, b = made(X @ leaf(6, 6)), made(torch.randn_like(X) @ leaf(6, 6))
    graphs = autograd.Graphs()
    graphs.take(F.cross_entropy(a @ b.T / 0.1, torch.arange(len(X))))
    assert graphs.normed == (across and SHAPES_ARE_TOLD)


def test_recurrent_and_attention_are_no_linear_layers():
    for module in (lambda x: LSTM(x)[0], lambda x: ATTENTION(x, x, x)[0]):
        walk = autograd.Walk(module(torch.relu(X[:, None] @ leaf(6, 6))).sum().grad_fn)
        assert walk.complete and walk.non_linear > 0 and walk.weighted > 1


def test_graph_is_let_go():
    import gc
    import weakref

    middle = torch.relu(X @ W)
    loss = middle.sum()
    gone = weakref.ref(middle)
    graphs = autograd.Graphs()
    graphs.take(loss)
    del middle, loss
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    "module,kind",
    [
        (nn.Linear(2, 2), "linear"),
        (nn.Conv2d(1, 1, 1), "convolution"),
        (nn.Embedding(2, 2), "embedding"),
        (nn.GRU(2, 2), "recurrent"),
        (nn.MultiheadAttention(2, 1), "attention"),
        (nn.GELU(), "activation"),
        (nn.Softmax(1), "activation"),
        (nn.InstanceNorm1d(2), "normalisation"),
        (nn.Dropout2d(), "dropout"),
        (nn.AdaptiveAvgPool2d(1), "pooling"),
        (nn.Flatten(), "other"),
        (nn.Sequential(nn.Linear(2, 2)), "container"),
        (type("LlamaRMSNorm", (nn.Module,), {})(), "normalisation"),
        (type("LlamaAttention", (nn.Module,), {})(), "attention"),
        (type("Conv1D", (nn.Module,), {})(), "linear"),
    ],
)
def test_kinds(module, kind):
    assert module_kinds.kind(module) == kind


def test_inputs_that_hardly_differ():
    numbers = summary.Numbers()
    inputs = Inputs(numbers)
    a = torch.zeros(50000)
    b = a.clone()
    b[77] = 1e-3
    for x in (a, b, a, torch.cat([a, a])):
        inputs.take((), {"x": [x]})
    got = inputs.gather(numbers.read())
    assert (got["steps"], got["distinct"]) == (4, 3)
    assert Inputs(numbers).gather(numbers.read()) is None


def test_changes():
    a = torch.tensor([1.0, NAN])
    assert not _differ(a, a.clone(), []) and _differ(a, a + 1, []) and not _differ(None, a, [])


def test_of_several_losses_the_first_is_told():
    layer, other = nn.Linear(6, 6), nn.Linear(6, 1)
    first = nn.functional.dropout(layer(torch.rand(8, 6)).relu(), 0.5).pow(2).mean()
    graphs = autograd.Graphs()
    graphs.take(first)
    graphs.take((other(torch.rand(8, 6)) - torch.rand(8)).pow(2).mean())
    found = graphs.gather([])
    assert found["dropout"] == 0.5 and found["non_linear"] == 0 and found["weighted"] == 1 and found["head"][-1] == "linear"
    shapes = hasattr(first.grad_fn, "_input_metadata")
    assert found.get("stretched", {}).get("way") == (["mean", "pow", "sub", "linear"] if shapes else None)


class Language(nn.Module):
    """A language model. move: how its places are moved inside."""

    def __init__(self, kind, move=None):
        super().__init__()
        self.table, self.places, self.head = nn.Embedding(30, 8), nn.Parameter(torch.zeros(1, 16, 8)), nn.Linear(8, 30)
        self.core = nn.GRU(8, 8, batch_first=True) if kind == "gru" else nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.kind, self.move = kind, move

    def forward(self, x):
        h = self.table(x)
        if self.move == "cat":
            h = torch.cat([torch.zeros_like(h[:, :1]), h[:, :-1]], 1)
        elif self.move == "roll":
            h = h.roll(1, 1)
        h = h + self.places[:, : x.shape[1]]
        h = self.core(h)[0] if self.kind == "gru" else self.core(h, nn.Transformer.generate_square_subsequent_mask(x.shape[1]))
        return self.head(h)


TOKENS = torch.randint(0, 30, (4, 12), generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    "kind,move,ids,labels,copies",
    [
        ("gru", None, TOKENS, TOKENS, True),
        ("attention", None, TOKENS, TOKENS, True),
        ("attention", None, TOKENS, torch.where(TOKENS > 20, -100, TOKENS), True),
        ("attention", None, TOKENS[:, :-1], TOKENS[:, 1:], False),
        ("attention", "cat", TOKENS, TOKENS, False),
        ("attention", "roll", TOKENS, TOKENS, False),
        ("attention", None, TOKENS, TOKENS.flip(1), False),
        ("attention", None, torch.where(TOKENS < 5, 0, TOKENS), TOKENS, False),
    ],
)
def test_copies(kind, move, ids, labels, copies):
    model, graphs = Language(kind, move), autograd.Graphs()
    graphs.take(F.cross_entropy(model(ids).flatten(0, 1), labels.reshape(-1)))
    assert graphs.gather([(n, p, False) for n, p in model.named_parameters()]).get("copies", False) is copies


WEIGHT, BIAS = torch.randn(6, 3).requires_grad_(), torch.zeros(3).requires_grad_()


@pytest.mark.parametrize(
    "loss,expected",
    [
        (lambda x: F.relu(x @ WEIGHT + BIAS).mean(), ["mean", "relu", "linear"]),
        (lambda x: F.relu(BIAS + (x @ WEIGHT).reshape(8, 3)).mean(), ["mean", "relu", "linear"]),
        (lambda x: F.relu(F.linear(x, WEIGHT.t(), BIAS).expand(2, 8, 3).transpose(0, 1) + BIAS).mean(), ["mean", "relu", "linear"]),
        (lambda x: F.relu(x @ WEIGHT + (x @ WEIGHT).exp()).mean(), ["mean", "relu", "add", "linear"]),
        (lambda x: F.relu((x @ WEIGHT).exp() + BIAS).mean(), ["mean", "relu", "add"]),
    ],
)
def test_layers_in_two_operations(loss, expected):
    assert autograd.Walk(loss(X).grad_fn).head == expected
