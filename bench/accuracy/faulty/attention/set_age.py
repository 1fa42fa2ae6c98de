# fault: dropout-on-output
# cause_class: regularisation, structure
# family: attention
# split: tune
import os
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Hp:
    d: int = 32
    heads: int = 4
    drop: float = 0.4
    lr: float = 1e-3
    epochs: int = 10


class AttentionPool(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.embed = nn.Linear(5, hp.d)
        self.attn = nn.MultiheadAttention(hp.d, hp.heads, batch_first=True)
        self.norm = nn.LayerNorm(hp.d)
        self.query = nn.Parameter(torch.randn(1, 1, hp.d) * 0.1)

    def forward(self, x):
        h = torch.relu(self.embed(x))
        q = self.query.expand(len(x), -1, -1)
        return self.norm(self.attn(q, h, h, need_weights=False)[0].squeeze(1) + h.mean(1))


class AgeRegressor(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.pool = AttentionPool(hp)
        layers = []
        for i, o, act in [(hp.d, 64, nn.ReLU), (64, 1, nn.Identity)]:
            layers += [nn.Linear(i, o), act(), nn.Dropout(hp.drop)]
        self.head = nn.Sequential(*layers)

    def forward(self, x):
        return self.head(self.pool(x)).squeeze(-1)


def make(n):
    x = torch.randn(n, 8, 5)
    y = x[:, :, 0].mean(1) * 2 + x[:, :, 1].abs().mean(1) * 1.5
    return x, y


def main():
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    hp = Hp()
    x, y = make(1800)
    # ages in years over the youngest, in decades
    y = 3.5 + (y - y[:1500].mean()) / y[:1500].std()
    train = DataLoader(TensorDataset(x[:1500], y[:1500]), batch_size=50, shuffle=True)
    model = AgeRegressor(hp)
    opt = torch.optim.AdamW(model.parameters(), lr=hp.lr)
    for epoch in range(hp.epochs):
        model.train()
        tot = 0.0
        for xb, yb in train:
            loss = nn.functional.mse_loss(model(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item()
        model.eval()
        with torch.no_grad():
            v = nn.functional.mse_loss(model(x[1500:]), y[1500:]).item()
        print(f"epoch {epoch} train {tot / len(train):.4f} valid {v:.4f}")


main()
