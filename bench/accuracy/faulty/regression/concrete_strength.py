# fault: dropout-too-strong
# cause_class: regularisation
# family: regression
# split: tune
import os
from dataclasses import dataclass, field
import torch
import torch.nn as nn


@dataclass
class Settings:
    hidden: list = field(default_factory=lambda: [64, 64])
    keep_prob: float = 0.95
    lr: float = 2e-3
    epochs: int = 15
    batch: int = 40
    seed: int = int(os.environ.get("SEED", 0))


class Regressor(nn.Module):
    def __init__(self, n_in, cfg: Settings):
        super().__init__()
        widths = [n_in] + cfg.hidden
        self.blocks = nn.ModuleList()
        for a, b in zip(widths, widths[1:]):
            self.blocks.append(nn.Sequential(nn.Linear(a, b), nn.ReLU(), nn.Dropout(cfg.keep_prob)))
        self.out = nn.Linear(widths[-1], 1)

    def forward(self, x):
        for blk in self.blocks:
            x = blk(x)
        return self.out(x)


def mixtures(n):
    cement, water, age, ash = torch.rand(4, n)
    strength = 3 * cement - 2 * water + torch.log(0.1 + age) + cement * ash * 2 + 0.1 * torch.randn(n)
    x = torch.stack([cement, water, age, ash], 1)
    return (x - 0.5) / 0.29, ((strength - strength.mean()) / strength.std())[:, None]


cfg = Settings()
torch.manual_seed(cfg.seed)
x, y = mixtures(1500)
xtr, ytr, xte, yte = x[:1200], y[:1200], x[1200:], y[1200:]
model = Regressor(4, cfg)
opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
for epoch in range(cfg.epochs):
    model.train()
    tot = 0.0
    for idx in torch.randperm(len(xtr)).split(cfg.batch):
        loss = nn.functional.mse_loss(model(xtr[idx]), ytr[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(idx)
    model.eval()
    with torch.no_grad():
        test = nn.functional.mse_loss(model(xte), yte).item()
    print(f"epoch {epoch:2d}  train {tot / len(xtr):.4f}  test {test:.4f}")
