# fault: none
# family: mlp
# split: tune
# Plain SGD with a learning rate of 1.0: large, and fine on normalised data with a small net.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

centres = torch.randn(5, 16) * 1.2
y = torch.randint(0, 5, (2000,))
x = centres[y] + torch.randn(2000, 16)
x = (x - x.mean(0)) / x.std(0)

model = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 5))
opt = torch.optim.SGD(model.parameters(), lr=1.0)

losses = []
for epoch in range(10):
    perm = torch.randperm(len(x))
    for i in range(0, len(x), 100):
        idx = perm[i:i + 100]
        loss = F.cross_entropy(model(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())

acc = (model(x).argmax(1) == y).float().mean().item()
print(f"accuracy {acc:.3f}")
print(f"loss first {losses[0]:.4f} last {sum(losses[-10:]) / 10:.4f}")
