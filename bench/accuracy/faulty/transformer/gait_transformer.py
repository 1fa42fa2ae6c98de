# fault: axes-mixed-up
# cause_class: structure, data-loading
# family: transformer
# split: held
# set: tapir, unseen
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
T, C, CLASSES = 20, 3, 4


def gait(n):
    """Two short bumps on the accelerometer; the class is their order and their distance."""
    y = torch.randint(0, CLASSES, (n,))
    x = 0.2 * torch.randn(n, T, C)
    first = torch.randint(1, 6, (n,))
    gap = torch.where(y % 2 == 0, 4, 10)
    swap = y >= 2
    r = torch.arange(n)
    x[r, first, torch.where(swap, 1, 0)] += 2.0
    x[r, first + gap, torch.where(swap, 0, 1)] += 2.0
    return x, y


class GaitTransformer(nn.Module):
    def __init__(self, d=32, heads=4, layers=2):
        super().__init__()
        self.embed = nn.Linear(C, d)
        self.pos = nn.Parameter(0.02 * torch.randn(1, T, d))
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, d))
        layer = nn.TransformerEncoderLayer(d, heads, 2 * d, dropout=0.0, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, CLASSES)

    def forward(self, x):
        h = self.embed(x) + self.pos
        h = torch.cat([self.cls.expand(len(x), -1, -1), h], 1)
        h = self.encoder(h)
        return self.head(self.norm(h[:, 0]))


def main():
    train = DataLoader(TensorDataset(*gait(1600)), batch_size=32, shuffle=True, drop_last=True)
    xv, yv = gait(300)
    model = GaitTransformer()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    total = 6 * len(train)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 2e-3, total_steps=total)
    ce = nn.CrossEntropyLoss()
    for epoch in range(6):
        model.train()
        s = 0.0
        for x, y in train:
            loss = ce(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            s += loss.item()
        model.eval()
        with torch.no_grad():
            acc = (model(xv).argmax(1) == yv).float().mean().item()
        print(f"epoch {epoch} loss {s / len(train):.4f} val acc {acc:.3f}")


main()
