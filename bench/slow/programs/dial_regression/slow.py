"""Angle of a dial from a small picture, with a look at what the layers give at the end of every epoch."""
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def dials(n, size=32):
    angle = 6.2832 * torch.rand(n)
    r = torch.linspace(-1, 1, size)
    yy, xx = torch.meshgrid(r, r, indexing="ij")
    along = xx * angle.cos()[:, None, None] + yy * angle.sin()[:, None, None]
    across = -xx * angle.sin()[:, None, None] + yy * angle.cos()[:, None, None]
    hand = torch.sigmoid(20 * along) * torch.exp(-((across / 0.12) ** 2)) * (along < 0.8)
    rim = torch.exp(-(((xx**2 + yy**2).sqrt() - 0.9) ** 2) / 0.005)
    pictures = (hand + rim + 0.15 * torch.randn(n, size, size)).unsqueeze(1)
    return pictures, torch.stack([angle.cos(), angle.sin()], 1)


class Engine:
    def __init__(self, model, optimizer, watched):
        self.model = model
        self.optimizer = optimizer
        self.loss_fn = nn.MSELoss()
        self.outputs = {name: [] for name in watched}
        for name, module in model.named_children():
            if name in watched:
                module.register_forward_hook(self.keeper(name))

    def keeper(self, name):
        def hook(module, inputs, output):
            if module.training:
                self.outputs[name].append(output.detach())

        return hook

    def report(self):
        words = []
        for name, outputs in self.outputs.items():
            last = torch.stack(outputs[-20:])
            words.append(f"{name} mean {last.mean():.3f} dead {(last <= 0).float().mean():.0%}")
        return "; ".join(words)

    def run(self, loader, epochs):
        start = time.time()
        for epoch in range(epochs):
            total = 0.0
            for x, y in loader:
                self.optimizer.zero_grad()
                loss = self.loss_fn(self.model(x), y)
                loss.backward()
                self.optimizer.step()
                total += loss.item()
            print(f"epoch {epoch}  loss {total / len(loader):.5f}  {self.report()}  ({time.time() - start:.0f} s)")


if __name__ == "__main__":
    torch.manual_seed(30)
    model = nn.Sequential()
    model.add_module("conv1", nn.Conv2d(1, 16, 3, stride=2, padding=1))
    model.add_module("act1", nn.ReLU())
    model.add_module("conv2", nn.Conv2d(16, 32, 3, stride=2, padding=1))
    model.add_module("act2", nn.ReLU())
    model.add_module("conv3", nn.Conv2d(32, 64, 3, padding=1))
    model.add_module("act3", nn.ReLU())
    model.add_module("flat", nn.Flatten())
    model.add_module("fc", nn.Linear(64 * 64, 256))
    model.add_module("act4", nn.ReLU())
    model.add_module("out", nn.Linear(256, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(TensorDataset(*dials(6400)), batch_size=64, shuffle=True, drop_last=True)
    Engine(model, optimizer, watched=("act2", "act4")).run(loader, epochs=10)
