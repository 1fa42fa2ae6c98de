# fault: none
# family: mlp
# split: tune
# Annealed gaussian noise is added to every gradient.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


def add_noise(params, step, eta=0.05, gamma=0.55):
    sigma = (eta / (1 + step) ** gamma) ** 0.5
    for p in params:
        p.grad.add_(sigma * torch.randn_like(p.grad))


W = torch.randn(10, 4)
x = torch.randn(2000, 10)
y = (x @ W).argmax(1)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))
params = list(model.parameters())
opt = torch.optim.SGD(params, lr=0.1)
ce = nn.CrossEntropyLoss()
hist = []
for step in range(300):
    i = torch.randint(0, 2000, (64,))
    loss = ce(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    add_noise(params, step)
    opt.step()
    hist.append(loss.item())
print(f"loss first {hist[0]:.4f} last {sum(hist[-10:]) / 10:.4f}")
