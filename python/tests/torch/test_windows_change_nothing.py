"""Weights are equal to the bit with a window of detail and without."""

import torch
from torch import nn

from vigil import _sampling, _stacks, _windows


class Session(object):
    id, path, step_seconds, trainer, graph = "0", "/nowhere/s", 0.0, None, None

    def train_steps(self):
        return 0


def weights(sampled, monkeypatch):
    torch.manual_seed(1)
    got = []
    windows = _windows.Windows(Session())
    if sampled:
        monkeypatch.setattr(_sampling, "INTERVAL_NS", 1000 * 1000)
        monkeypatch.setattr(_stacks, "send", lambda path, message, patience_s=0.0: got.append(message["samples"]))
        windows.ask({"number": 1, "seconds": 500})
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    x, y = torch.randn(512, 20), torch.randint(0, 5, (512,))
    for _ in range(6):
        for i in torch.randperm(512).split(16):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x[i]), y[i]).backward()
            optimizer.step()
    windows.end()
    if sampled:
        assert got[0]["processes"][0]["samples"] > 3
    return [p.detach().clone() for p in model.parameters()] + [torch.rand(3)]


def test_same_numbers(monkeypatch):
    bare, watched = weights(False, monkeypatch), weights(True, monkeypatch)
    assert all(torch.equal(a, b) for a, b in zip(bare, watched))
