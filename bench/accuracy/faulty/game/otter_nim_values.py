# fault: identical-batches
# cause_class: data-loading
# family: game
# split: tune
import os
import random
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class NimConfig:
    seed: int = int(os.environ.get("SEED", 0))
    heaps: int = 4
    largest: int = 5
    games: int = 500
    batch: int = 64
    updates: int = 600
    lr: float = 2e-3


class Replay:
    """Positions with the result for the side to move."""

    def __init__(self, cfg):
        self.cfg, self.rows = cfg, []

    def play(self):
        heaps = [random.randint(1, self.cfg.largest) for _ in range(self.cfg.heaps)]
        while any(heaps):
            x = 0
            for h in heaps:
                x ^= h
            self.rows.append((tuple(heaps), 1.0 if x else 0.0))
            good = [i for i, h in enumerate(heaps) if x and h ^ x < h]
            if good and random.random() < 0.5:
                i = random.choice(good)
                heaps[i] ^= x
            else:
                i = random.choice([i for i, h in enumerate(heaps) if h])
                heaps[i] -= random.randint(1, heaps[i])

    def sample(self, k):
        rng = random.Random(self.cfg.seed)
        return self.encode(rng.sample(self.rows, k))

    def encode(self, rows):
        x = torch.zeros(len(rows), self.cfg.heaps, self.cfg.largest + 1)
        for n, (heaps, _) in enumerate(rows):
            for i, h in enumerate(heaps):
                x[n, i, h] = 1
        return x.flatten(1), torch.tensor([r[1] for r in rows])


class Value(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        d = cfg.heaps * (cfg.largest + 1)
        self.net = nn.Sequential(nn.Linear(d, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 1))

    def forward(self, x):
        return self.net(x)[:, 0]


def main(cfg=NimConfig()):
    random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    replay, test = Replay(cfg), Replay(cfg)
    for _ in range(cfg.games):
        replay.play()
    for _ in range(60):
        test.play()
    tx, ty = test.encode(test.rows)
    model, loss_fn = Value(cfg), nn.BCEWithLogitsLoss()
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    print(len(replay.rows), "positions")
    for it in range(1, cfg.updates + 1):
        x, y = replay.sample(cfg.batch)
        loss = loss_fn(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if it % 50 == 0:
            model.eval()
            with torch.no_grad():
                out = model(tx)
                acc = ((out > 0) == (ty > 0.5)).float().mean().item()
            model.train()
            print(f"{it:4d} loss {loss.item():.4f} test loss {loss_fn(out, ty).item():.4f} acc {acc:.3f}")


main()
