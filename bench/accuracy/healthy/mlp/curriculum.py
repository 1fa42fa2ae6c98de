# fault: none
# family: mlp
# split: tune
# Curriculum: easy samples first; the loss jumps up each time harder ones come in.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

directions = torch.randn(5, 12)
directions = directions / directions.norm(dim=1, keepdim=True)


def level(k, n):
    y = torch.randint(0, 5, (n,))
    return directions[y] * (5.0 - 1.3 * k) + (0.6 + 0.1 * k) * torch.randn(n, 12), y


net = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 5))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()
log = []
for stage in range(4):
    for _ in range(70):
        k = int(torch.randint(0, stage + 1, ())) if stage < 3 else stage - 1
        x, y = level(k, 64)
        opt.zero_grad()
        loss = loss_fn(net(x), y)
        loss.backward()
        opt.step()
        log.append(loss.item())
    print(f"stage {stage}: {sum(log[-20:]) / 20:.4f}")
print(f"loss first {log[0]:.4f} last {log[-1]:.4f}")
