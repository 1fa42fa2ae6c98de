"""The places in a script that calls come from: file, line and columns of the script's own code, and nothing else."""

import os
import sys

import pytest
import torch
from torch import nn

SCRIPT = """\
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()


def train_step(x, y):
    optimiser.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()


for i in range(60):
    x = torch.randn(8, 4)
    train_step(x, (x[:, 0] > 0).long())
    if i % 20 == 19:
        model.eval()
        with torch.no_grad():
            criterion(model(x), (x[:, 0] > 0).long())
        model.train()
for p in model.parameters():
    print(p.tolist())
"""

PLACES = {
    "optimizer": ("SGD", "optimiser = "), "model": ("Sequential", "loss = criterion("), "loss": ("CrossEntropyLoss", "loss = criterion("),
    "backward": (None, "loss.backward()"), "clip": (None, "nn.utils.clip"), "step": ("SGD", "optimiser.step()"),
}  # fmt: skip


EXPRESSIONS = {
    "optimizer": "torch.optim.SGD(model.parameters(), lr=0.1)", "model": "model(x)", "loss": "criterion(model(x), y)",
    "backward": "loss.backward()", "clip": "nn.utils.clip_grad_norm_(model.parameters(), 1.0)", "step": "optimiser.step()",
}  # fmt: skip


def expression(call):
    assert call["end_line"] == call["line"]
    return SCRIPT.splitlines()[call["line"] - 1][call["column"] : call["end_column"]]


def line(text):
    return next(i for i, one in enumerate(SCRIPT.splitlines(), 1) if one.strip().startswith(text))


@pytest.mark.parametrize("off", [False, True], ids=["read", "not read"])
def test_places(trained, write, off):
    path = write(SCRIPT)
    done = trained(path, env={"VIGIL_SOURCE": "0"} if off else {})
    assert done.code == 0, done.err
    facts = done.run.facts
    if off:
        assert "calls" not in facts and "line" not in facts["evaluation"]
        return
    calls = {one["kind"]: one for one in facts["calls"]["list"]}
    assert all(one["times"] > 1 for kind, one in calls.items() if kind != "optimizer") and not any("elsewhere" in one for one in calls.values())
    if sys.version_info >= (3, 11):
        assert {kind: expression(one) for kind, one in calls.items()} == EXPRESSIONS
        assert expression(facts["evaluation"]) == "model(x)"
    assert {kind: (one.get("name"), one["line"]) for kind, one in calls.items()} == {kind: (name, line(text)) for kind, (name, text) in PLACES.items()}
    assert {os.path.realpath(one["file"]) for one in calls.values()} == {os.path.realpath(path)}
    assert facts["evaluation"]["line"] == line("criterion(model(x)")


SEVERAL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(4, 8),
            nn.Sigmoid(),
        )
        self.first = nn.Dropout(0.1)
        self.second = nn.Dropout(0.1)

    def forward(self, x):
        return self.second(self.first(self.body(x)))


torch.manual_seed(0)
model = Net()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(60):
    if i % 2:
        model(torch.randn(8, 4)).square().mean().backward()
    else:
        model(torch.randn(8, 4)).abs().mean().backward()
    optimiser.step()
    optimiser.zero_grad()
"""


def test_calls_from_several_places(trained, write):
    """That there are others is told with the first of them."""
    done = trained(write(SEVERAL))
    assert done.code == 0, done.err
    calls = {(one["kind"], one.get("name")): one for one in done.run.facts["calls"]["list"]}
    elsewhere = {at: one.get("elsewhere", False) for at, one in calls.items()}
    layers = {("layer", "Sigmoid"): False, ("layer", "Dropout"): True}
    if not hasattr(nn.modules.module, "register_module_module_registration_hook"):
        layers = {}  # PyTorch before 2.0 does not say what is put into modules
    assert elsewhere == {
        **layers, ("optimizer", "SGD"): False, ("model", "Net"): True, ("backward", None): True, ("step", "SGD"): False,
    }  # fmt: skip
    if layers:
        assert calls["layer", "Sigmoid"]["line"] == 8
        assert calls["layer", "Sigmoid"]["times"] == 1


FUNCTION = """\
import torch
from torch import nn
from torch.nn import functional as F

before = torch.softmax, torch.sigmoid, F.softmax, F.sigmoid
{first}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.gate = nn.Linear(4, 8), nn.Linear(4, 8)

    def forward(self, x):
        return {call}


torch.manual_seed(0)
model = Net()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(40):
    x = torch.randn(8, 4)
    F.cross_entropy(model(x), x.argmax(1)).backward()
    optimiser.step()
    optimiser.zero_grad()
print(before == (torch.softmax, torch.sigmoid, F.softmax, F.sigmoid))
"""
OWN = "softmax = lambda x: F.softmax(x, dim=1)"


@pytest.mark.parametrize(
    "first, call, name, expected",
    [
        ("", "F.softmax(self.body(x) * torch.sigmoid(self.gate(x)), dim=1)", "softmax", "F.softmax(self.body(x) * torch.sigmoid(self.gate(x)), dim=1)"),
        ("", "torch.sigmoid(self.body(x) * F.softmax(self.gate(x), dim=1))", "sigmoid", "torch.sigmoid(self.body(x) * F.softmax(self.gate(x), dim=1))"),
        ("", "self.body(x) * torch.sigmoid(self.gate(x))", None, None),
        (OWN, "softmax(self.body(x))", "softmax", "F.softmax(x, dim=1)"),
        (OWN, "softmax(self.body(x) * softmax(self.gate(x)))", None, None),
        ("torch.compile(lambda x: x)", "F.softmax(self.body(x), dim=1)", None, None),
    ],
    ids=["at the end", "another at the end", "not at the end", "in a function", "in a function that is called twice", "with a compiler"],
)
def test_function_before_the_loss(trained, write, first, call, name, expected):
    """The call of softmax or sigmoid that the loss comes of; the functions are as they were in the end."""
    if "compile" in first and not hasattr(torch, "compile"):
        pytest.skip("this PyTorch has no compiler")
    if sys.version_info < (3, 11) and "sigmoid" in call and "softmax" in call:
        name = None  # without columns two calls in a line cannot be told apart
    script = FUNCTION.format(first=first, call=call)
    done = trained(write(script))
    assert done.code == 0, done.err
    assert done.out.strip() == "True"
    found = [one for one in done.run.facts["calls"]["list"] if one["kind"] == "function"]
    assert [one["name"] for one in found] == ([name] if name else [])
    if name and sys.version_info >= (3, 11):
        assert script.splitlines()[found[0]["line"] - 1][found[0]["column"] : found[0]["end_column"]] == expected


LOSSES = """\
import torch
from torch import nn
from torch.nn import functional as F

before = F.cross_entropy, F.mse_loss, torch.Tensor.softmax, torch.Tensor.__dict__.get("softmax")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x):
        return self.body(x){activation}


torch.manual_seed(0)
model = Net()
criterion = nn.CrossEntropyLoss()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(40):
    x = torch.randn(8, 4)
    out = model(x)
    loss = {loss}
    loss.backward()
    optimiser.step()
    optimiser.zero_grad()
print(before == (F.cross_entropy, F.mse_loss, torch.Tensor.softmax, torch.Tensor.__dict__.get("softmax")))
for p in model.parameters():
    print(p.tolist())
"""


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the interpreter has no events for what a function returns")
def test_function_that_was_imported(trained, write):
    """A loss function that the script imported by its own name before the training is found like any other."""
    script = LOSSES.format(activation="", loss="cross_entropy(out, x.argmax(1))").replace("before =", "from torch.nn.functional import cross_entropy\n\nbefore =", 1)
    done = trained(write(script))
    assert done.code == 0 and done.out.splitlines()[0] == "True", done.err
    (found,) = [one for one in done.run.facts["calls"]["list"] if one["kind"] == "loss"]
    assert script.splitlines()[found["line"] - 1][found["column"] : found["end_column"]] == "cross_entropy(out, x.argmax(1))"


@pytest.mark.parametrize(
    "activation, loss, expected",
    [
        ("", "F.cross_entropy(out, x.argmax(1)) / 2", {("loss", "cross_entropy"): "F.cross_entropy(out, x.argmax(1))"}),
        (".softmax(dim=1)", "F.nll_loss(out, x.argmax(1))", {("loss", "nll_loss"): "F.nll_loss(out, x.argmax(1))", ("function", "softmax"): "self.body(x).softmax(dim=1)"}),
        ("", "F.cross_entropy(out, x.argmax(1)) + F.mse_loss(out, x)", {("loss", "cross_entropy"): "F.cross_entropy(out, x.argmax(1))", ("loss", "mse_loss"): "F.mse_loss(out, x)"}),
        ("", "F.mse_loss(out, x) + F.mse_loss(out, 2 * x)", {}),
        ("", "criterion(out, x.argmax(1)) + 0 * F.mse_loss(out, x).item()", {("loss", "CrossEntropyLoss"): "criterion(out, x.argmax(1))"}),
        ("", "F.mse_loss(out, x[:, 0])", {("loss", "mse_loss"): "F.mse_loss(out, x[:, 0])"}),
    ],
    ids=["one", "behind an activation", "two of a sum", "twice", "a module", "one that warns"],
)
def test_functions_that_give_the_loss(trained, write, activation, loss, expected):
    """Their places are known, they are as they were in the end, and warnings name the script's line, once."""
    script = LOSSES.format(activation=activation, loss=loss)
    if loss.endswith("x[:, 0])"):
        script = script.replace("randn(8, 4)", "randn(4, 4)")
    path = write(script)
    done = trained(path)
    assert done.code == 0, done.err
    assert done.out.splitlines()[0] == "True"
    found = {(one["kind"], one["name"]): one for one in done.run.facts["calls"]["list"] if one["kind"] in ("function", "loss")}
    assert set(found) == set(expected)
    if sys.version_info >= (3, 11):
        lines = script.splitlines()
        assert {key: lines[one["line"] - 1][one["column"] : one["end_column"]] for key, one in found.items()} == expected
    warned = [text for text in done.err.splitlines() if "UserWarning" in text]
    assert [text.startswith("%s:%d:" % (path, found["loss", "mse_loss"]["line"])) for text in warned] == ([True] if "x[:, 0])" in loss else [])
