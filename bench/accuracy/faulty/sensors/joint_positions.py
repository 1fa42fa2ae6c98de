# fault: constant-output
# cause_class: structure, data-loading
# family: sensors
# split: tune
import os
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Pose(nn.Module):
    """Positions of three joints from a series of readings."""

    def __init__(self, channels=8, d=32):
        super().__init__()
        self.inp = nn.Linear(channels, d)
        layer = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 1)
        self.out = nn.Linear(d, 6)

    def forward(self, x):
        h = self.enc(self.inp(x))
        pooled = h.mean(dim=0).mean(dim=0)
        return self.out(pooled)


w = torch.randn(8, 6) / 3
x = torch.randn(1200, 15, 8) + torch.randn(1200, 1, 8)
y = torch.tanh(x.mean(1) @ w)
model = Pose()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(5):
    total = 0.0
    for b in torch.randperm(1000).split(40):
        loss = F.mse_loss(model(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print(epoch, round(total / 25, 4), "variance of targets", round(y.var().item(), 4))
