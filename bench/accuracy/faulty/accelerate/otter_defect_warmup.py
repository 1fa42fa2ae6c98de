# fault: learning-rate-too-low
# cause_class: learning-rate, epochs
# family: accelerate
# split: held
# needs: accelerate
import os
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class TrainConfig:
    seed: int = int(os.environ.get("SEED", 0))
    epochs: int = 10
    batch_size: int = 32
    lr: float = 3e-4
    warmup: int = 500
    decay_after: int = 2000


cfg = TrainConfig()
set_seed(cfg.seed)


def surface_patches(n):
    """12x12 patches of sheet metal: clean, scratch, dent."""
    y = torch.randint(0, 3, (n,))
    x = 0.4 * torch.randn(n, 1, 12, 12)
    for i in range(n):
        r, c = torch.randint(1, 10, (2,)).tolist()
        if y[i] == 1:
            x[i, 0, r, :] += 1.5
        elif y[i] == 2:
            x[i, 0, r - 1:r + 2, c - 1:c + 2] -= 1.5
    return TensorDataset(x / x.std(), y)


def warmup_then_linear(cfg):
    def rate(t):
        if t < cfg.warmup:
            return t / cfg.warmup
        return max(0.1, 1 - (t - cfg.warmup) / cfg.decay_after)
    return rate


def main():
    acc = Accelerator(cpu=True)
    train = DataLoader(surface_patches(1280), cfg.batch_size, shuffle=True, drop_last=True)
    test = DataLoader(surface_patches(320), 160)
    model = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                          nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
                          nn.Flatten(), nn.Linear(96, 3))
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, warmup_then_linear(cfg))
    model, opt, train, test, sched = acc.prepare(model, opt, train, test, sched)

    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for x, y in train:
            with acc.accumulate(model):
                loss = F.cross_entropy(model(x), y)
                acc.backward(loss)
                opt.step()
                opt.zero_grad()
            total += loss.item()
        sched.step()
        model.eval()
        hits = n = 0
        with torch.no_grad():
            for x, y in test:
                hits += (model(x).argmax(1) == y).sum().item()
                n += len(y)
        acc.print(f"epoch {epoch} loss {total / len(train):.4f} acc {hits / n:.3f}")


main()
