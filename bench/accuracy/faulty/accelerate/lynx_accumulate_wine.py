# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: accelerate
# split: held
# needs: accelerate
import os
import torch
import torch.nn as nn
from dataclasses import dataclass
from torch.utils.data import DataLoader, TensorDataset
from accelerate import Accelerator
from accelerate.utils import set_seed


@dataclass
class Config:
    seed: int = int(os.environ.get("SEED", 0))
    epochs: int = 12
    batch_size: int = 16
    accumulation: int = 2
    lr: float = 0.03
    momentum: float = 0.9


def build_data(cfg):
    g = torch.Generator().manual_seed(cfg.seed)
    n, d, k = 800, 13, 4
    centres = torch.randn(k, d, generator=g) * 0.9
    y = torch.randint(0, k, (n,), generator=g)
    x = centres[y] + torch.randn(n, d, generator=g)
    x = (x - x.mean(0)) / x.std(0)
    return TensorDataset(x[:640], y[:640]), TensorDataset(x[640:], y[640:])


def main(cfg=Config()):
    accelerator = Accelerator(gradient_accumulation_steps=cfg.accumulation, cpu=True)
    set_seed(cfg.seed)
    train, test = build_data(cfg)
    model = nn.Sequential(nn.Linear(13, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=cfg.momentum)
    train_dl = DataLoader(train, batch_size=cfg.batch_size, shuffle=True)
    test_dl = DataLoader(test, batch_size=80)
    model, optimizer, train_dl, test_dl = accelerator.prepare(model, optimizer, train_dl, test_dl)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for x, y in train_dl:
            # accumulate() knows when the gradients are to be synchronised, stepped and cleaned up
            with accelerator.accumulate(model):
                loss = criterion(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
            total += loss.item()
        model.eval()
        hits = seen = 0
        for x, y in test_dl:
            with torch.no_grad():
                pred = model(x).argmax(-1)
            pred, y = accelerator.gather_for_metrics((pred, y))
            hits += (pred == y).sum().item(); seen += len(y)
        accelerator.print(f"epoch {epoch:2d} | loss {total / len(train_dl):.4f} | acc {hits / seen:.3f}")


if __name__ == "__main__":
    main()
