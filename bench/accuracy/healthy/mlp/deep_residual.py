# fault: none
# family: mlp
# split: tune
# Thirty pre-norm residual blocks, each with a zero-initialised last layer.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.up = nn.Linear(d, 2 * d)
        self.down = nn.Linear(2 * d, d)
        nn.init.zeros_(self.down.weight)
        nn.init.zeros_(self.down.bias)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Deep(nn.Module):
    def __init__(self, n_in, d, depth, n_out):
        super().__init__()
        self.stem = nn.Linear(n_in, d)
        self.blocks = nn.ModuleList(Block(d) for _ in range(depth))
        self.head = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, n_out))

    def forward(self, x):
        x = self.stem(x)
        for b in self.blocks:
            x = b(x)
        return self.head(x)


def batch(n=64):
    x = torch.randn(n, 6)
    y = 2 * (x[:, 0] * x[:, 1] > 0).long() + (x[:, 2] > x[:, 3].abs() - 0.5).long()
    return x, y


model = Deep(6, 24, 30, 4)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
losses = []
for step in range(200):
    x, y = batch()
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    losses.append(loss.item())
print(f"loss first {sum(losses[:10]) / 10:.4f} last {sum(losses[-10:]) / 10:.4f}")
