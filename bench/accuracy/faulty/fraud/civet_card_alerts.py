# fault: class-imbalance
# cause_class: imbalance, loss
# family: fraud
# split: tune
"""Card transactions: autoencoded history + current transaction -> alert yes/no.

About one in sixty transactions is bad. Alerts go to the desk when p > 0.5.
"""
import os
from dataclasses import dataclass, field
import numpy as np
import torch
from torch import nn


@dataclass
class Settings:
    seed: int = int(os.environ.get("SEED", 0))
    n: int = 12000
    epochs: int = 8
    batch: int = 200
    lr: float = 1e-3
    hidden: list = field(default_factory=lambda: [48, 24])


def simulate(s: Settings):
    rng = np.random.default_rng(s.seed)
    y = (rng.random(s.n) < 1 / 60).astype(np.float32)
    hist = rng.normal(0, 1, (s.n, 8, 3))
    now = rng.normal(0, 1, (s.n, 5))
    now[:, 0] += 1.1 * y
    now[:, 2] += 0.9 * y * np.sign(rng.normal(size=s.n) + 0.8)
    now[:, 3] -= 0.9 * y
    hist[:, -3:, 1] += 0.7 * y[:, None]
    return torch.tensor(hist, dtype=torch.float32), torch.tensor(now, dtype=torch.float32), torch.tensor(y)


class AlertNet(nn.Module):
    def __init__(self, s: Settings):
        super().__init__()
        self.hist = nn.GRU(3, 12, batch_first=True)
        layers, w = [], 12 + 5
        for h in s.hidden:
            layers += [nn.Linear(w, h), nn.LayerNorm(h), nn.ReLU()]
            w = h
        self.net = nn.Sequential(*layers, nn.Linear(w, 1))

    def forward(self, hist, now):
        _, h = self.hist(hist)
        return self.net(torch.cat([h[0], now], 1))[:, 0]


def report(net, hist, now, y):
    with torch.no_grad():
        flag = net(hist, now).sigmoid() > 0.5
    tp = (flag & (y == 1)).sum().item()
    recall = tp / max(1, int(y.sum()))
    spec = ((~flag) & (y == 0)).sum().item() / int((y == 0).sum())
    acc = (flag.float() == y).float().mean().item()
    return f"acc {acc:.3f} recall {recall:.3f} balanced {0.5 * (recall + spec):.3f} alerts {int(flag.sum())}"


def main():
    s = Settings()
    torch.manual_seed(s.seed)
    hist, now, y = simulate(s)
    cut = int(0.75 * s.n)
    net = AlertNet(s)
    opt = torch.optim.AdamW(net.parameters(), lr=s.lr)
    crit = nn.BCEWithLogitsLoss()
    for ep in range(s.epochs):
        perm = torch.randperm(cut)
        total = 0.0
        for i in perm.split(s.batch):
            loss = crit(net(hist[i], now[i]), y[i])
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            total += loss.item() * len(i)
        print(f"epoch {ep} loss {total / cut:.4f} | {report(net, hist[cut:], now[cut:], y[cut:])}")


main()
