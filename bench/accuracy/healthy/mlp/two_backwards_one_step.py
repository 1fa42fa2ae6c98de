# fault: none
# family: mlp
# split: tune
# Two losses, each with its own backward(), one optimiser step; the graph of the trunk is kept for the second.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

trunk = nn.Sequential(nn.Linear(10, 48), nn.ReLU())
cls, reg = nn.Linear(48, 3), nn.Linear(48, 1)
parameters = [p for m in (trunk, cls, reg) for p in m.parameters()]
opt = torch.optim.AdamW(parameters, lr=3e-3)
ce, l1 = nn.CrossEntropyLoss(), nn.L1Loss()
W = torch.randn(10, 3)
v = torch.randn(10)
log = []
for step in range(250):
    x = torch.randn(64, 10)
    h = trunk(x)
    opt.zero_grad()
    a = ce(cls(h), (x @ W).argmax(1))
    a.backward(retain_graph=True)
    b = l1(reg(h).squeeze(1), torch.tanh(x @ v))
    b.backward()
    opt.step()
    log.append((a.item(), b.item()))
print(f"regression first {log[0][1]:.4f} last {log[-1][1]:.4f}")
print(f"loss first {log[0][0]:.4f} last {log[-1][0]:.4f}")
