"""The places in a script that calls come from: file and line of the script's own code, and nothing else."""

import os

import pytest

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
    assert {kind: (one.get("name"), one["line"]) for kind, one in calls.items()} == {kind: (name, line(text)) for kind, (name, text) in PLACES.items()}
    assert {os.path.realpath(one["file"]) for one in calls.values()} == {os.path.realpath(path)}
    assert facts["evaluation"]["line"] == line("criterion(model(x)")
