# fault: none
# family: mlp
# split: tune
# Adversarial training: a backward pass for the gradient of the input, then the one that counts.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


def fgsm(model, x, y, eps):
    x = x.clone().requires_grad_(True)
    F.cross_entropy(model(x), y).backward()
    return (x + eps * x.grad.sign()).detach()


proto = torch.randn(5, 30)
labels = torch.randint(0, 5, (1500,))
data = proto[labels] + 0.5 * torch.randn(1500, 30)
model = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
losses = []
for step in range(220):
    i = torch.randint(0, 1500, (50,))
    x_adv = fgsm(model, data[i], labels[i], 0.2)
    optimizer.zero_grad()
    loss = 0.5 * (F.cross_entropy(model(data[i]), labels[i]) + F.cross_entropy(model(x_adv), labels[i]))
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"loss first {losses[0]:.4f} last {losses[-1]:.4f}")
