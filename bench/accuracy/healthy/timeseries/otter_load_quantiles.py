# fault: none
# family: timeseries
# split: held
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
QUANTILES = torch.tensor([0.1, 0.5, 0.9])


def load(hours=2400):
    t = torch.arange(hours).float()
    day = torch.sin(t / 24 * 6.2832) + 0.5 * torch.sin(t / 12 * 6.2832 + 1)
    week = 0.5 * ((t // 24) % 7 < 5).float()
    noise = torch.zeros(hours)
    for i in range(1, hours):
        noise[i] = 0.8 * noise[i - 1] + 0.15 * torch.randn(())
    return 300 + 80 * (day + week + noise)


class Windows(Dataset):
    def __init__(self, series, mean, std, past=48):
        self.s, self.past = (series - mean) / std, past

    def __len__(self):
        return len(self.s) - self.past

    def __getitem__(self, i):
        return self.s[i:i + self.past], self.s[i + self.past]


class TCN(nn.Module):
    def __init__(self, w=16, q=3):
        super().__init__()
        self.inp = nn.Conv1d(1, w, 1)
        self.convs = nn.ModuleList(nn.Conv1d(w, w, 3, dilation=d) for d in (1, 2, 4, 8))
        self.out = nn.Linear(w, q)

    def forward(self, x):
        h = self.inp(x[:, None])
        for c in self.convs:
            pad = (c.kernel_size[0] - 1) * c.dilation[0]
            h = h + torch.relu(c(nn.functional.pad(h, (pad, 0))))
        return self.out(h[..., -1])


def pinball(pred, y):
    e = y[:, None] - pred
    return torch.maximum(QUANTILES * e, (QUANTILES - 1) * e).mean()


s = load()
cut = 1900
mean, std = s[:cut].mean(), s[:cut].std()
train = DataLoader(Windows(s[:cut], mean, std), 32, shuffle=True)
test = DataLoader(Windows(s[cut:], mean, std), 500)
model = TCN()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, 3, 0.5)
for epoch in range(9):
    model.train()
    tot = 0.0
    for x, y in train:
        loss = pinball(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    sched.step()
    model.eval()
    with torch.no_grad():
        x, y = next(iter(test))
        p = model(x)
        inside = ((y > p[:, 0]) & (y < p[:, 2])).float().mean().item()
    print(f"epoch {epoch} train {tot / len(train):.4f} test {pinball(p, y).item():.4f} inside 80% band {inside:.2f}")
