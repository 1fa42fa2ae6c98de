# fault: broadcast-targets
# cause_class: labels, loss, structure
# family: regression
# split: tune
import os
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
x = torch.randn(3000, 9)
y = torch.sin(x[:, :1]) + 0.5 * x[:, 1:2] * x[:, 2:3]
weight = 0.2 + torch.rand(3000)
model = nn.Sequential(nn.Linear(9, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(500):
    i = torch.randint(0, 2500, (64,))
    per_sample = F.smooth_l1_loss(model(x[i]), y[i], reduction="none")
    loss = (per_sample * weight[i]).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        print(step, loss.item())
