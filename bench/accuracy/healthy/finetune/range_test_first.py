# fault: none
# family: finetune
# split: tune
"""A learning rate range test (exponential), the weights put back, then training."""
import copy
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
X = torch.randn(1500, 12)
Y = (X[:, 0] + X[:, 1] ** 2 - 1 > 0).long()
net = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 2))
start = copy.deepcopy(net.state_dict())
opt = torch.optim.SGD(net.parameters(), lr=1e-4)
best, best_lr = 9.0, None
for s in range(70):
    opt.param_groups[0]["lr"] = 1e-4 * (2e4 ** (s / 69))
    i = torch.randint(1500, (64,))
    loss = nn.functional.cross_entropy(net(X[i]), Y[i])
    opt.zero_grad(); loss.backward(); opt.step()
    if loss.item() < best:
        best, best_lr = loss.item(), opt.param_groups[0]["lr"]
    if loss.item() > 4 * best:
        break
net.load_state_dict(start)
print(best_lr)
opt = torch.optim.SGD(net.parameters(), lr=min(best_lr / 3, 0.3), momentum=0.9)
for e in range(10):
    for i in torch.randperm(1500).split(64):
        loss = nn.functional.cross_entropy(net(X[i]), Y[i])
        opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())
