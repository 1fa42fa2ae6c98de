"""A loss written by hand: no loss module, no loss function of PyTorch's."""

import torch
from common import STEPS, Report
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
report = Report(model)
g = torch.Generator().manual_seed(5)
x = torch.randn(512, 6, generator=g)
y = (x * torch.tensor([1.0, -2.0, 0.5, 0.0, 1.0, 3.0])).sum(1, keepdim=True)
for step in range(STEPS):
    i = step % 8 * 64
    loss = ((model(x[i : i + 64]) - y[i : i + 64]) ** 2).sum() / 64
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    report.step(loss.item())
report.done()
