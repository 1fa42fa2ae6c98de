# fault: none
# family: forecasting
# split: held
"""Point and width of a forecast, Gaussian likelihood; the loss becomes negative."""
import os
import math
import torch
from torch import nn
from torch.utils.data import IterableDataset, DataLoader


class Windows(IterableDataset):
    def __init__(self, series, width, n):
        self.series, self.width, self.n = series, width, n

    def __iter__(self):
        for _ in range(self.n):
            s = int(torch.randint(len(self.series) - self.width - 1, (1,)))
            w = self.series[s:s + self.width + 1]
            yield w[:-1], w[-1:]


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU())
        self.mean, self.logvar = nn.Linear(48, 1), nn.Linear(48, 1)

    def forward(self, x):
        h = self.body(x)
        return self.mean(h), self.logvar(h).clamp(-8, 4)


torch.manual_seed(int(os.environ.get("SEED", 0)))
t = torch.arange(4000.)
series = torch.sin(t / 7) + 0.3 * torch.sin(t / 2.3) + 0.08 * torch.randn(4000)
train, test = series[:3200], series[3200:]
net = Net(20)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
nll = lambda m, lv, y: 0.5 * (lv + (y - m) ** 2 / lv.exp()).mean()
tw = test.unfold(0, 21, 1)
for epoch in range(8):
    total = n = 0
    for x, y in DataLoader(Windows(train, 20, 3200), batch_size=40):
        loss = nll(*net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
        n += 1
    with torch.no_grad():
        m, lv = net(tw[:, :-1])
        cover = ((tw[:, -1:] - m).abs() < 1.96 * (0.5 * lv).exp()).float().mean().item()
        print(f"epoch {epoch} train {total / n:.4f} test {nll(m, lv, tw[:, -1:]).item():.4f} rmse {((m - tw[:, -1:]) ** 2).mean().sqrt().item():.4f} coverage {cover:.3f}")
