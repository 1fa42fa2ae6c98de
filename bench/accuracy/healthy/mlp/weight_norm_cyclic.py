# fault: none
# family: mlp
# split: tune
# Weight norm on all layers, a cyclic learning rate, zero_grad after the step.
import os

import torch
import torch.nn as nn
from torch.nn.utils.parametrizations import weight_norm

torch.manual_seed(int(os.environ.get("SEED", "0")))

t = torch.rand(1500) * 12
arm = torch.randint(0, 2, (1500,))
r = 0.15 * t + 0.2
ang = t * 0.6 + 3.1416 * arm
x = torch.stack([r * ang.cos(), r * ang.sin()], 1) + 0.03 * torch.randn(1500, 2)

model = nn.Sequential(
    weight_norm(nn.Linear(2, 64)), nn.Tanh(), weight_norm(nn.Linear(64, 64)), nn.Tanh(), weight_norm(nn.Linear(64, 2))
)
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
sched = torch.optim.lr_scheduler.CyclicLR(opt, base_lr=0.01, max_lr=0.3, step_size_up=40)
loss_fn = nn.CrossEntropyLoss()
log = []
for step in range(400):
    i = torch.randint(0, 1500, (64,))
    loss = loss_fn(model(x[i]), arm[i])
    loss.backward()
    opt.step()
    opt.zero_grad()
    sched.step()
    log.append(loss.item())
print(f"loss first {log[0]:.4f} last {sum(log[-20:]) / 20:.4f}")
