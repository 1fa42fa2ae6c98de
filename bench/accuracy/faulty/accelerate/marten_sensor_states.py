# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: accelerate
# split: held
# needs: accelerate
import os
from types import SimpleNamespace

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

cfg = SimpleNamespace(seed=int(os.environ.get("SEED", 0)), lr=0.05, momentum=0.9, batch_size=32, epochs=8, hidden=48)
set_seed(cfg.seed)


def sensor_data(n, g):
    y = torch.randint(0, 6, (n,), generator=g)
    means = torch.randn(6, 2, 12, generator=torch.Generator().manual_seed(11)) * 0.8
    mode = torch.randint(0, 2, (n,), generator=g)
    x = means[y, mode] + 0.7 * torch.randn(n, 12, generator=g)
    return TensorDataset(x, y)


class StateNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(12, cfg.hidden)
        self.b = nn.Linear(cfg.hidden, cfg.hidden)
        self.c = nn.Linear(cfg.hidden, 6)

    def forward(self, x):
        x = torch.relu(self.a(x))
        return self.c(torch.relu(self.b(x)))


def main():
    accelerator = Accelerator(cpu=True)
    g = torch.Generator().manual_seed(cfg.seed)
    train = DataLoader(sensor_data(1600, g), batch_size=cfg.batch_size, shuffle=True)
    test = DataLoader(sensor_data(400, g), batch_size=200)
    model = StateNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=cfg.momentum)
    model, optimizer, train, test = accelerator.prepare(model, optimizer, train, test)

    for epoch in range(cfg.epochs):
        model.train()
        total, n = 0.0, 0
        for x, y in train:
            optimizer.zero_grad
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            total += loss.item()
            n += 1
        model.eval()
        right = count = 0
        with torch.no_grad():
            for x, y in test:
                p, y = accelerator.gather_for_metrics((model(x).argmax(1), y))
                right += (p == y).sum().item()
                count += len(y)
        accelerator.print(f"epoch {epoch}: loss {total / n:.4f}, accuracy {right / count:.3f}")


if __name__ == "__main__":
    main()
