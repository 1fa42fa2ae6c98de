# fault: train-in-eval-mode
# cause_class: eval-mode, structure
# family: cnn
# split: tune
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


def waves(n):
    """One-dimensional signals of three kinds, on a drifting base line."""
    t = torch.linspace(0, 1, 64)
    y = torch.randint(0, 3, (n,))
    f = 3 + 3 * torch.rand(n, 1)
    ph = 6.28 * torch.rand(n, 1)
    s = torch.sin(6.28 * f * t + ph)
    s = torch.where(y[:, None] == 1, s.sign(), torch.where(y[:, None] == 2, (f * t + ph) % 1 * 2 - 1, s))
    return (s + 0.5 * torch.randn(n, 64) + 1.5)[:, None], y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(1, 16, 7, padding=3), nn.BatchNorm1d(16), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(16, 32, 5, padding=2), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(32, 32, 3, padding=1), nn.BatchNorm1d(32), nn.ReLU())
        self.drop = nn.Dropout(0.5)
        self.fc = nn.Linear(32 * 16, 3)

    def forward(self, x):
        return self.fc(self.drop(self.conv(x).flatten(1)))


class Phase:
    def __init__(self, name, loader, opt=None):
        self.name, self.loader, self.opt = name, loader, opt

    def run(self, net):
        loss_sum = hits = n = 0
        with torch.set_grad_enabled(self.opt is not None):
            for x, y in self.loader:
                out = net(x)
                loss = F.cross_entropy(out, y)
                if self.opt:
                    self.opt.zero_grad()
                    loss.backward()
                    self.opt.step()
                loss_sum += loss.item() * len(y)
                hits += (out.argmax(1) == y).sum().item()
                n += len(y)
        return f"{self.name} {loss_sum / n:.4f} / {hits / n:.3f}"


net = Net()
tr, va = TensorDataset(*waves(600)), TensorDataset(*waves(400))
train = Phase("train", DataLoader(tr, 30, shuffle=True), torch.optim.Adam(net.parameters(), lr=1e-3))
valid = Phase("valid", DataLoader(va, 100))
net.eval()
print("before", valid.run(net))
for epoch in range(15):
    a = train.run(net)
    net.eval()
    b = valid.run(net)
    print(f"epoch {epoch}", a, b)
