"""Losses that are added to the sum as numbers."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from vigil._torch import backend, formula, summary
from vigil._torch.as_numbers import AsNumbers

ORIGINALS = {(space, name): getattr(space, name) for places in formula.PLACES.values() for space, name, _ in places}


def step(script):
    """What a step of the script shows: script(value, classes) gives the tensors that backward is called on."""
    torch.manual_seed(0)
    body, one, two = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 3)
    numbers = summary.Numbers()
    look = AsNumbers(numbers)
    look.begins()
    h = body(torch.randn(16, 4)).relu()
    parts = script(F.mse_loss(one(h), torch.ones(16, 1)), nn.CrossEntropyLoss()(two(h), torch.arange(16) % 3))
    for loss in parts if isinstance(parts, tuple) else (parts,):
        look.backward(loss)
        loss.backward(retain_graph=True)
    look.closed()
    assert all(getattr(space, name) is original for (space, name), original in ORIGINALS.items())
    named = [(n, id(p)) for n, m in (("body", body), ("one", one), ("two", two)) for p in m.parameters()]
    return look.gather(numbers.read(), named)


@pytest.mark.parametrize(
    "script",
    [
        lambda a, b: a + b.item(),
        lambda a, b: 0.7 * a + 0.3 * float(b.detach()),
        lambda a, b: a + 0.5 * b.detach(),
        lambda a, b: (a + b.item()) / 4,
        lambda a, b: sum([a, 0.1 * b.item()]),
        lambda a, b: 0.5 * b.item() + a * 2,
    ],
)
def test_added_as_a_number(script):
    got = step(script)
    assert got["functions"] == ["cross_entropy"] and got["parameters"] == ["two", "two"] and got["constant"] > 0


@pytest.mark.parametrize(
    "script",
    [
        lambda a, b: a + b,
        lambda a, b: sum([a, b]),
        lambda a, b: (a, b),  # each by itself
        lambda a, b: a,  # the other is looked at only
        lambda a, b: sum([a]),  # so it is here, and the sum begins with 0
        lambda a, b: a + 0.0 * b.item(),  # its weight comes later
        lambda a, b: sum([a / a.item(), b / b.item()]),  # weights by magnitude
        lambda a, b: (a - 0.1).abs() + 0.1,  # flooding
        lambda a, b: a + b + 3.0,
    ],
)
def test_sound_sums(script):
    assert step(script) is None


def test_nothing_is_replaced_where_functions_are_compiled(monkeypatch):
    """What torch.compile traced would be traced again."""
    monkeypatch.setattr(backend, "compiler_used", True)
    assert step(lambda a, b: a + b.item()) is None
