# fault: none
# family: finetune
# split: tune
# Mean teacher: a second net that no optimiser knows follows the first by a moving average.
import copy
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

centres = torch.randn(4, 16)
ul = torch.randint(0, 4, (2000,))
unlabelled = centres[ul] + 0.7 * torch.randn(2000, 16)
few_y = torch.arange(4).repeat(8)
few_x = centres[few_y] + 0.7 * torch.randn(32, 16)

student = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 4))
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad_(False)


@torch.no_grad()
def ema(step, decay=0.98):
    d = min(decay, step / (step + 1))
    for t, s in zip(teacher.parameters(), student.parameters()):
        t.mul_(d).add_(s, alpha=1 - d)


opt = torch.optim.Adam(student.parameters(), lr=3e-3)
log = []
for step in range(250):
    i = torch.randint(0, 2000, (64,))
    u = unlabelled[i]
    with torch.no_grad():
        target = teacher(u + 0.1 * torch.randn_like(u)).softmax(1)
    consistency = F.mse_loss(student(u + 0.1 * torch.randn_like(u)).softmax(1), target)
    supervised = F.cross_entropy(student(few_x), few_y)
    ramp = min(1.0, step / 100)
    loss = supervised + 5.0 * ramp * consistency
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema(step)
    log.append(loss.item())
teacher.eval()
print("teacher accuracy", (teacher(unlabelled).argmax(1) == ul).float().mean().item())
print(f"loss first {log[0]:.4f} last {log[-1]:.4f}")
