# fault: none
# family: regression
# split: tune
# Poisson regression of counts: the loss falls below zero.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

x = torch.randn(3000, 5)
rate = torch.exp(1.2 + 0.5 * x[:, 0] - 0.4 * x[:, 1] + 0.3 * x[:, 2] * x[:, 3])
counts = torch.poisson(rate)

net = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 1))
criterion = nn.PoissonNLLLoss(log_input=True)
optimizer = torch.optim.RMSprop(net.parameters(), lr=2e-3)
hist = []
for step in range(300):
    i = torch.randint(0, 3000, (100,))
    optimizer.zero_grad()
    loss = criterion(net(x[i]).squeeze(1), counts[i])
    loss.backward()
    optimizer.step()
    hist.append(loss.item())
print(f"loss first {hist[0]:.4f} last {sum(hist[-20:]) / 20:.4f}")
