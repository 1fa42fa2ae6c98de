# fault: frozen-by-mistake
# cause_class: not-updated, structure, optimizer
# family: trainers
# split: held
# needs: accelerate
"""Pre-train an encoder on reconstruction, then tune a small adapter and a head on few labels."""
import os
from dataclasses import dataclass

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Args:
    dim: int = 32
    hidden: int = 64
    adapter: int = 2
    classes: int = 6
    pretrain_steps: int = 150
    epochs: int = 6
    lr: float = 3e-3


class Encoder(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(a.dim, a.hidden), nn.ReLU(), nn.Linear(a.hidden, a.hidden), nn.ReLU())

    def forward(self, x):
        return self.layers(x)


class Tuned(nn.Module):
    def __init__(self, encoder, a):
        super().__init__()
        self.encoder = encoder
        self.adapter = nn.Sequential(nn.Linear(a.hidden, a.adapter), nn.Tanh())
        self.head = nn.Sequential(nn.Linear(a.adapter, 32), nn.ReLU(), nn.Linear(32, a.classes))

    def forward(self, x):
        return self.head(self.adapter(self.encoder(x)))


def freeze_backbone(model):
    for name, p in model.named_parameters():
        if not name.startswith("head"):
            p.requires_grad_(False)


def main():
    a = Args()
    set_seed(int(os.environ.get("SEED", "0")))
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=1)
    centers = 1.2 * torch.randn(a.classes, 6)
    mixing = torch.randn(6, a.dim) / 2.5

    def sample(n):
        y = torch.randint(0, a.classes, (n,))
        z = centers[y] + 0.5 * torch.randn(n, 6)
        return z @ mixing + 0.1 * torch.randn(n, a.dim), y

    encoder, decoder = Encoder(a), nn.Linear(a.hidden, a.dim)
    opt = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=2e-3)
    for _ in range(a.pretrain_steps):
        x, _ = sample(128)
        loss = nn.functional.mse_loss(decoder(encoder(x)), x)
        opt.zero_grad()
        loss.backward()
        opt.step()
    accelerator.print(f"reconstruction {loss.item():.4f}")

    model = Tuned(encoder, a)
    freeze_backbone(model)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=a.lr)
    loader = DataLoader(TensorDataset(*sample(3000)), batch_size=64, shuffle=True)
    xv, yv = sample(800)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(a.epochs):
        model.train()
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            acc = (model(xv).argmax(1) == yv).float().mean()
        accelerator.print(f"epoch {epoch} loss {total / len(loader):.4f} acc {acc:.3f}")


if __name__ == "__main__":
    main()
