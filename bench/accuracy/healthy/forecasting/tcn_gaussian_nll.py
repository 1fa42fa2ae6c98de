# fault: none
# family: forecasting
# split: tune
# Dilated causal convolutions on a series in order (no shuffling), mean and variance by GaussianNLLLoss.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Windows(Dataset):
    def __init__(self, series, size):
        self.s, self.n = series, size

    def __len__(self):
        return len(self.s) - self.n - 1

    def __getitem__(self, i):
        return self.s[i:i + self.n], self.s[i + 1:i + self.n + 1]


class TCN(nn.Module):
    def __init__(self, c=16, levels=4):
        super().__init__()
        self.inp = nn.Conv1d(1, c, 1)
        self.convs = nn.ModuleList(nn.Conv1d(c, c, 2, dilation=2**k) for k in range(levels))
        self.out = nn.Conv1d(c, 2, 1)

    def forward(self, x):
        h = self.inp(x.unsqueeze(1))
        for k, conv in enumerate(self.convs):
            h = h + F.relu(conv(F.pad(h, (2**k, 0))))
        mean, raw = self.out(h).unbind(1)
        return mean, F.softplus(raw) + 1e-3


t = torch.arange(4000).float()
series = torch.sin(t / 6) + 0.5 * torch.sin(t / 2.3) + (0.03 + 0.1 * (torch.sin(t / 50) > 0)) * torch.randn(4000)
loader = DataLoader(Windows(series, 32), batch_size=32, shuffle=False)
model = TCN()
criterion = nn.GaussianNLLLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
log = []
for epoch in range(2):
    for x, y in loader:
        mean, var = model(x)
        loss = criterion(mean, y, var)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log.append(loss.item())
print(f"loss first {log[0]:.4f} last {sum(log[-60:]) / 60:.4f}")
