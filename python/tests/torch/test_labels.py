"""What is understood of labels: which argument they are, their values, and that reading them changes nothing."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from vigil._torch import labels as under_test
from vigil._torch.labels import Labels, of_graph, roles


class Focal(nn.Module):
    def forward(self, logits, truth, gamma=2.0):
        return F.cross_entropy(logits, truth)


class Reversed(nn.Module):
    def forward(self, labels, scores):
        return F.mse_loss(scores, labels)


class Unnamed(nn.Module):
    def forward(self, a, b):
        return (a - b).abs().mean()


X = torch.randn(6, 3)
Y = torch.tensor([0, 1, 2, 0, 1, 2])


Z = X + 1
OUT, OUT2 = (X.clone().requires_grad_() for _ in range(2))


@pytest.mark.parametrize(
    "module,args,kwargs,expected",
    [
        (nn.CrossEntropyLoss(), (X, Y), {}, (X, Y)),
        (nn.CrossEntropyLoss(), (), {"target": Y, "input": X}, (X, Y)),
        (nn.MSELoss(), (X, Z), {}, (X, Z)),
        (nn.MSELoss(), (Z, OUT), {}, (OUT, Z)),
        (nn.L1Loss(), (), {"input": Z, "target": OUT}, (OUT, Z)),
        (nn.KLDivLoss(), (Z, OUT), {}, (Z, OUT)),
        (nn.MSELoss(), (OUT, OUT2), {}, (OUT, OUT2)),
        (nn.MarginRankingLoss(), (X, Z, Y), {}, (X, Y)),
        (nn.TripletMarginLoss(), (X, Z, Z), {}, (X, None)),
        (nn.CTCLoss(), (X, Y, 1, 2), {}, (X, Y)),
        (Focal(), (X, Y), {}, (X, Y)),
        (Focal(), (X,), {"truth": Y}, (X, Y)),
        (Reversed(), (Y, X), {}, (X, Y)),
        (Unnamed(), (X, Y), {}, (X, Y)),
        (Unnamed(), ({"scores": X}, Y), {}, (None, Y)),
        (Unnamed(), (X,), {}, (X, None)),
        (Unnamed(), (), {}, (None, None)),
    ],
)
def test_roles(module, args, kwargs, expected):
    prediction, label = roles(module, args, kwargs)
    assert prediction is expected[0] and label is expected[1]


@pytest.mark.parametrize(
    "loss,name,label",
    [
        (lambda x: F.cross_entropy(x, Y), "cross_entropy", Y),
        (lambda x: F.cross_entropy(x, Y, label_smoothing=0.1) / 4, "cross_entropy", Y),
        (lambda x: F.nll_loss(x, Y) + x.pow(2).mean(), "nll_loss", Y),
        (lambda x: F.mse_loss(x, X), "mse_loss", X),
        (lambda x: F.smooth_l1_loss(x, X), "smooth_l1_loss", X),
        (lambda x: F.binary_cross_entropy_with_logits(x, (X > 0).float()), "binary_cross_entropy_with_logits", (X > 0).float()),
        (lambda x: x.pow(2).mean(), None, None),
    ],
)
def test_functions(loss, name, label):
    x = X.clone().requires_grad_()
    found = of_graph(loss(x).grad_fn)
    if name is None:
        assert found is None
        return
    assert found[0] == name and torch.equal(found[2], label) and found[1].shape == x.shape
    assert found[3] == (-100 if "entropy" in name and "binary" not in name or name == "nll_loss" else None)


@pytest.mark.parametrize("loss", [F.mse_loss, F.smooth_l1_loss, F.huber_loss])
def test_arguments_the_other_way_round(loss):
    """Predictions of a symmetric loss are what has a gradient, and so is the way to them."""
    output = nn.Linear(3, 3)(X)
    name, prediction, label, _, place = of_graph(loss(Z, output).grad_fn)
    assert name == loss.__name__ and prediction is not None and torch.equal(prediction, output) and torch.equal(label, Z) and place == 1
    read = Labels()
    read.backward(loss(Z, output).grad_fn)
    assert read.gather(name)["mean"] == pytest.approx(Z.mean().item(), rel=1e-5) and read._main(name).predictions.way == ["linear"]


def test_saved_by_hooks_of_the_script_is_left_alone():
    """Offloaded and checkpointed tensors would be computed again."""
    called = []

    def unpack(value):
        called.append(value)
        return value

    x = X.clone().requires_grad_()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        loss = F.cross_entropy(x, Y)
    found = of_graph(loss.grad_fn)
    if hasattr(type(loss.grad_fn._raw_saved_target), "unpack_hook"):
        assert found is None and called == []
    else:
        assert found is None or found[2] is not None  # older releases do not tell


def facts(*batches, **options):
    got = Labels()
    for label in batches:
        got._take("Loss", X, label, options.get("ignore"))
    return got.gather("Loss")


@pytest.mark.parametrize(
    "batches,ignore,expected",
    [
        ([Y, Y + 1], None, dict(dtype="I64", shape=[6], range=[0, 3], counts={"0": 2, "1": 4, "2": 4, "3": 2}, distinct=4, elements=12)),
        ([torch.tensor([-100, 4, 4])], -100, dict(range=[4, 4], counts={"4": 2}, elements=2, ignored=1)),
        ([torch.tensor([-3, 2])], None, dict(range=[-3, 2], counts={"-3": 1, "2": 1})),
        ([torch.tensor([[0.0], [1.0]])], None, dict(dtype="F32", shape=[2, 1], range=[0.0, 1.0], counts={"0": 1, "1": 1})),
        ([torch.tensor([0.5, 1.0])], None, dict(range=[0.5, 1.0], counts=None, distinct=None, elements=2)),
        ([torch.tensor([1.0, float("nan"), float("inf")])], None, dict(range=[1.0, 1.0], counts={"1": 1}, non_finite=2)),
        ([torch.tensor([True, False])], None, dict(dtype="BOOL", counts={"0": 1, "1": 1})),
        ([torch.tensor([1.0, 2.0], dtype=torch.bfloat16)], None, dict(dtype="BF16", counts={"1": 1, "2": 1})),
        ([torch.tensor(3)], None, dict(shape=[], counts={"3": 1})),
        ([torch.arange(5000)], None, dict(range=[0, 4999], counts=None, distinct=5000)),
        ([torch.tensor([0, 1 << 40])], None, dict(range=[0, 1 << 40], counts=None, distinct=None)),
        ([torch.zeros(3, dtype=torch.complex64)], None, dict(dtype="C64", range=None, counts=None, elements=0)),
        ([torch.arange(12).reshape(3, 4).t()], None, dict(shape=[4, 3], range=[0, 11], elements=12)),
        ([torch.empty(2, device="meta")], None, dict(shape=[2], range=None, elements=0)),
    ],
)
def test_values(batches, ignore, expected):
    got = facts(*batches, ignore=ignore)
    assert {k: got[k] for k in expected} == expected


@pytest.mark.parametrize(
    "batches,sorted_by_class",
    [
        ([[0] * 8, [0] * 5 + [1] * 3, [1] * 8, [1] * 2 + [2] * 6], True),
        ([[0] * 8, [0] * 8, [1] * 8, [1] * 8], True),
        ([[0] * 8, [0] * 8, [0] * 8, [0] * 8], False),  # nothing comes after the first class
        ([[0, 1] * 4, [0, 1] * 4, [0, 1] * 4, [1, 2] * 4], False),  # mixed
        ([[1] * 8, [0] * 8, [1] * 8, [2] * 8], False),
        ([[0] * 8, [1] * 8, [2] * 8], False),  # few
        ([[0] * 4, [1] * 4, [2] * 4, [3] * 4], False),  # tiny
        ([[[0] * 4] * 2, [[1] * 4] * 2, [[2] * 4] * 2, [[3] * 4] * 2], False),  # of the places of sequences
    ],
)
def test_sorted_by_class(batches, sorted_by_class):
    assert facts(*[torch.tensor(b) for b in batches]).get("in_order", False) is sorted_by_class


@pytest.mark.parametrize(
    "logits,given,spread",
    [
        (torch.tensor([[0.0, 3.0], [1.0, -4.0]]), False, 5.0),
        (torch.tensor([[0.0, 3.0], [1.0, -4.0]]).log_softmax(1), True, 5.0),
        (torch.tensor([[float("-inf"), 0.5, 0.25], [0.5, -1e9, 0.25]]), False, 0.25),
        (torch.tensor([[1.0], [2.0]]), False, None),
    ],
)
def test_how_far_predictions_lie_apart(logits, given, spread):
    got = Labels()
    got._take("Loss", logits, torch.tensor([0, 0]), None, given)
    predictions = got.predictions("Loss", got.numbers.read())
    assert predictions.get("spread") == (spread if spread is None else pytest.approx(spread, rel=1e-5))


def test_read_once(monkeypatch):
    """A few calls are read, in training only; then nothing is looked at any more."""
    got = Labels()
    loss = nn.CrossEntropyLoss()
    for _ in range(Labels.CALLS):
        assert got.open
        got.call(loss, (X, Y), {})
    assert not got.open and got.gather("x")["elements"] == Labels.CALLS * 6
    unseen = Labels()
    for _ in range(Labels.TRIES):
        assert unseen.open
        unseen.backward(X.clone().requires_grad_().pow(2).mean().grad_fn)
    assert not unseen.open and unseen.gather("") is None
    # What cannot be read is not tried again.
    broken = Labels()
    monkeypatch.setattr(under_test.Source, "_count", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        broken.call(loss, (X, Y), {})
    assert not broken.open


def test_nothing_changes():
    """No random number is drawn, no graph is made, no tensor is touched."""
    y = X.clone().requires_grad_()
    before = torch.random.get_rng_state(), y._version
    Labels().call(nn.MSELoss(), (X, y), {})
    assert torch.equal(torch.random.get_rng_state(), before[0]) and y._version == before[1] and y.grad is None


def test_several_losses():
    got = Labels()
    got.call(nn.CrossEntropyLoss(), (X, Y), {})
    got.call(nn.SmoothL1Loss(), (X, X), {})
    both = got.gather("SmoothL1Loss")
    assert both["loss"] == "SmoothL1Loss" and [o["loss"] for o in both["others"]] == ["CrossEntropyLoss"]
    assert both["predictions"] == {"dtype": "F32", "shape": [6, 3]}


@pytest.mark.parametrize(
    "script,expected",
    [
        ("mlp", dict(loss="CrossEntropyLoss", dtype="I64", shape=[64], range=[0, 4], distinct=5, elements=512, predictions={"dtype": "F32", "shape": [64, 5]})),
        ("transformer", dict(loss="cross_entropy", dtype="I64")),
        ("gan", dict(loss="BCEWithLogitsLoss", dtype="F32", range=[0.0, 1.0], distinct=2)),
    ],
)
def test_scripts(trained, script, expected):
    done = trained(script)
    found = done.run.facts["labels"]
    assert {k: found[k] for k in expected} == expected
    assert sum(found["counts"].values()) == found["elements"]
    assert done.digest == done.plain_digest
    assert done.run.facts["model"] == done.run.facts["models"][0] and done.run.facts["optimiser"]["class"]
    assert "could" not in done.err


def test_a_loss_written_out(trained):
    """The mean of squares of a difference: the labels are what the model returned less the difference."""
    found = trained("handloss").run.facts["labels"]
    assert found["loss"] == "mse_loss" and found["shape"] == [64, 1] and found["counts"] is None
