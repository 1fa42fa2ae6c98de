# fault: none
# family: regression
# split: tune
"""Mean and log-variance, Gaussian likelihood: the loss goes below zero."""
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.rand(1500, 1) * 4 - 2
noise = 0.05 + 0.15 * (x > 0) * x
y = torch.sin(2 * x) + noise * torch.randn_like(x)


class MeanVar(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh())
        self.mean, self.logvar = nn.Linear(48, 1), nn.Linear(48, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.mean(h), self.logvar(h).clamp(-9, 4)


def nll(mean, logvar, y):
    return 0.5 * (logvar + (y - mean) ** 2 * torch.exp(-logvar)).mean()


model = MeanVar()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 40 * 24)
for epoch in range(40):
    model.train()
    total = 0.0
    for idx in torch.randperm(1200).split(50):
        opt.zero_grad()
        loss = nll(*model(x[idx]), y[idx])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        total += loss.item()
    if epoch % 6 == 3:
        model.eval()
        with torch.no_grad():
            m, lv = model(x[1200:])
        print(f"epoch {epoch} nll {total / 24:+.3f} test nll {nll(m, lv, y[1200:]):+.3f} rmse {(m - y[1200:]).pow(2).mean().sqrt():.4f}")
