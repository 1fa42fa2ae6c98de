# fault: dropout-on-output
# cause_class: regularisation, structure
# family: timeseries
# split: held
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)


class Windows(Dataset):
    def __init__(self, series, w):
        self.s, self.w = series, w

    def __len__(self):
        return len(self.s) - self.w

    def __getitem__(self, i):
        return self.s[i:i + self.w].unsqueeze(0), self.s[i + self.w].unsqueeze(0)


class Block(nn.Module):
    """A linear map or convolution with what belongs to it."""

    def __init__(self, op, act=None, p=0.0):
        super().__init__()
        self.op, self.act, self.drop = op, act or nn.Identity(), nn.Dropout(p)

    def forward(self, x):
        return self.drop(self.act(self.op(x)))


def tcn(width=16, p=0.3):
    return nn.Sequential(
        Block(nn.Conv1d(1, width, 3, dilation=1), nn.GELU()),
        Block(nn.Conv1d(width, width, 3, dilation=2), nn.GELU()),
        Block(nn.Conv1d(width, width, 3, dilation=4), nn.GELU()),
        nn.Flatten(),
        Block(nn.Linear(width * 10, 32), nn.GELU()),
        Block(nn.Linear(32, 1), p=p),
    )


t = torch.arange(2000.0)
s = torch.sin(t / 5) * torch.cos(t / 37) + 0.3 * torch.sin(t / 2.3) + 0.03 * torch.randn(2000)
s = (s - s.mean()) / s.std()
train, val = Windows(s[:1600], 24), Windows(s[1600:], 24)
net = tcn()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
crit = nn.MSELoss()
for ep in range(7):
    net.train()
    tr = []
    for x, y in DataLoader(train, 32, shuffle=True):
        loss = crit(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tr.append(loss.item())
    net.eval()
    with torch.no_grad():
        va = sum(crit(net(x), y).item() * len(y) for x, y in DataLoader(val, 100)) / len(val)
    print(f"epoch {ep} train mse {sum(tr) / len(tr):.4f} val mse {va:.4f}")
