"""Aids for finding mistakes that were left on, as the facts have them at the end."""

import contextlib

import pytest
import torch

from vigil._torch.debugging import Debugging

W = torch.ones(3, requires_grad=True)


def anomaly():
    return torch.autograd.detect_anomaly(False) if hasattr(torch, "is_anomaly_check_nan_enabled") else torch.autograd.detect_anomaly()


def profiler():
    return torch.autograd.profiler.profile()


PASSES = [  # of each step the aids that are on, and what the facts say
    ("nothing is on", [[], [], []], None),
    ("anomaly detection", [[anomaly]] * 3, {"looked": 3, "aids": [{"name": "anomaly", "passes": 3, "last": 3}]}),
    ("anomaly detection at first", [[anomaly], [], []], {"looked": 3, "aids": [{"name": "anomaly", "passes": 1, "last": 1}]}),
    ("a profiler", [[], [profiler], [profiler]], {"looked": 3, "aids": [{"name": "profiler", "passes": 2, "last": 3}]}),
    (
        "both",
        [[anomaly], [anomaly, profiler]],
        {"looked": 2, "aids": [{"name": "anomaly", "passes": 2, "last": 2}, {"name": "profiler", "passes": 1, "last": 2}]},
    ),
]


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("passes,facts", [p[1:] for p in PASSES], ids=[p[0] for p in PASSES])
def test_aids(passes, facts):
    debugging = Debugging()
    for step, aids in enumerate(passes, 1):
        with contextlib.ExitStack() as on:
            for aid in aids:
                on.enter_context(aid())
            debugging.take(step)
            (W * 2).sum().backward()
    assert debugging.gather() == facts


LAUNCHES = [("1", True, True), ("1", False, False), ("0", True, False), ("", True, False), (None, True, False)]


@pytest.mark.parametrize("value,used,told", LAUNCHES)
def test_launches_that_wait(monkeypatch, value, used, told):
    """Only where a GPU is used."""
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: used)
    monkeypatch.delenv("CUDA_LAUNCH_BLOCKING", raising=False)
    if value is not None:
        monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", value)
    debugging = Debugging()
    assert debugging.gather() is None
    debugging.take(7)
    assert debugging.gather() == ({"looked": 1, "aids": [{"name": "launch_blocking", "passes": 1, "last": 7}]} if told else None)


SCRIPT = """
import contextlib, os, torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))
optimiser = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 6), torch.randint(3, (16,))
for step in range(200):
    loss = nn.functional.cross_entropy(model(x), y)
    optimiser.zero_grad()
    with torch.autograd.detect_anomaly() if {on} else contextlib.nullcontext():
        loss.backward()
    optimiser.step()
digest = "".join(p.detach().numpy().tobytes().hex() for p in model.parameters())
with open(os.environ["VIGIL_E2E_OUT"], "w") as f:
    f.write(digest)
"""


@pytest.mark.parametrize("on,kept", [("True", "to the end"), ("step < 80", "a part"), ("step < 9", None), ("False", None)])
def test_a_training(trained, write, on, kept):
    """Only backward is in the aid; fast steps are looked at now and then."""
    t = trained(write(SCRIPT.format(on=on)))
    assert t.digest == t.plain_digest
    debugging = t.run.facts.get("debugging")
    if kept is None:
        assert debugging is None
        return
    (aid,) = debugging["aids"]
    assert aid["name"] == "anomaly" and debugging["at"] == 200
    if kept == "to the end":
        assert aid["passes"] == debugging["looked"] > 4 and 100 < aid["last"] < 200
    else:
        assert aid["passes"] < debugging["looked"] and aid["last"] < 80
