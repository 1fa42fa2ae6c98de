# fault: none
# family: timeseries
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

t = torch.arange(2600).float()
load = torch.sin(6.2832 * t / 24) + 0.5 * torch.sin(6.2832 * t / 168) + 0.2 * torch.sin(6.2832 * t / 12 + 1)
noise = torch.zeros(2600)
for k in range(1, 2600):
    noise[k] = 0.7 * noise[k - 1] + 0.12 * torch.randn(1)
series = load + noise
series = (series - series[:2100].mean()) / series[:2100].std()
win = series.unfold(0, 37, 1)
X, Y = win[:, :36].unsqueeze(2), win[:, 36:]
Xtr, Ytr, Xva, Yva = X[:2000], Y[:2000], X[2100:], Y[2100:]


class Forecaster(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        h, _ = self.gru(x)
        return x[:, -1] + self.out(h[:, -1])


model = Forecaster()
opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=60, T_mult=2, eta_min=1e-5)
step = 0
for epoch in range(7):
    model.train()
    tot, k = 0.0, 0
    for idx in torch.randperm(2000).split(32):
        loss = nn.functional.mse_loss(model(Xtr[idx]), Ytr[idx])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        tot, k = tot + loss.item(), k + 1
    model.eval()
    with torch.no_grad():
        v = nn.functional.mse_loss(model(Xva), Yva).item()
    print(f"epoch {epoch} mse {tot / k:.4f} val {v:.4f} naive {((Xva[:, -1] - Yva) ** 2).mean():.4f}")
