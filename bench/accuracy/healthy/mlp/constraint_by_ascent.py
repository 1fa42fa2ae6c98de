# fault: none
# family: mlp
# split: tune
"""A regression whose mean prediction is held at a value: the multiplier is raised by hand, and so is a small shift of the inputs."""
import os

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.randn(1024, 5)
y = (x[:, :1] * x[:, 1:2] + 0.05 * torch.randn(1024, 1)).requires_grad_(True)
net = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
multiplier = nn.Parameter(torch.tensor(0.1))
shift = nn.Parameter(torch.zeros(5))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(600):
    b = torch.randint(0, 1024, (64,))
    out = net(x[b] + shift)
    loss = F.mse_loss(out, y[b]) + multiplier * (out.mean() - 0.0)
    opt.zero_grad()
    multiplier.grad = shift.grad = None
    loss.backward()
    opt.step()
    with torch.no_grad():
        multiplier += 0.01 * multiplier.grad
        shift.copy_((shift + 0.005 * shift.grad.sign()).clamp(-0.02, 0.02))
    if step % 100 == 0:
        print(step, round(loss.item(), 4), round(multiplier.item(), 3))
