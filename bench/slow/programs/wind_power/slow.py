"""Power of a wind park from the forecast on a grid of points."""
import copy
import os
import tempfile
import time

import torch
import torch.nn as nn


def forecasts(n, seed):
    g = torch.Generator().manual_seed(seed)
    base = torch.randn(n, 40, generator=g)
    spread = torch.randn(40, 400, generator=torch.Generator().manual_seed(5)) / 40 ** 0.5
    grid = base @ spread + 0.3 * torch.randn(n, 400, generator=g)
    speed = (base[:, :6] ** 2).sum(1).sqrt()
    power = torch.sigmoid(2 * (speed - 2.3)) + 0.05 * torch.randn(n, generator=g)
    return grid, (power - 0.5).unsqueeze(1) * 2


class ParkModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(400, 640), nn.SiLU(),
            nn.Linear(640, 640), nn.SiLU(),
            nn.Linear(640, 1),
        )

    def forward(self, x):
        return self.net(x)


class Keeper:
    """Keeps the best model, in memory and on disk."""

    def __init__(self, path):
        self.path = path
        self.best = float("inf")
        self.weights = None

    def offer(self, value, model, optimizer, epoch):
        self.weights = copy.deepcopy(model.state_dict())
        better = value < self.best
        self.best = min(self.best, value)
        state = {"epoch": epoch, "value": value, "best": self.best, "model": self.weights, "optimizer": copy.deepcopy(optimizer.state_dict())}
        torch.save(state, self.path)
        if better:
            torch.save(state, self.path + ".best")


def fit(model, train, val, keeper, epochs=6, batch_size=64):
    x, y = train
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    criterion = nn.MSELoss()
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for ids in torch.randperm(len(x)).split(batch_size):
            optimizer.zero_grad()
            loss = criterion(model(x[ids]), y[ids])
            loss.backward()
            optimizer.step()
            total += loss.item()
            keeper.offer(loss.item(), model, optimizer, epoch)
        model.eval()
        with torch.no_grad():
            val_loss = criterion(model(val[0]), val[1]).item()
        print(f"epoch {epoch + 1}: train {total * batch_size / len(x):.4f} val {val_loss:.4f}")


if __name__ == "__main__":
    torch.manual_seed(21)
    with tempfile.TemporaryDirectory() as out:
        t0 = time.time()
        fit(ParkModel(), forecasts(11200, 0), forecasts(1000, 1), Keeper(os.path.join(out, "park.pt")))
        print(f"fit in {time.time() - t0:.1f} s")
