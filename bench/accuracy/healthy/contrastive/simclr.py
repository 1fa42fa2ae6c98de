# fault: none
# family: contrastive
# split: tune
# SimCLR: NT-Xent starts near log(2N-1) and comes down slowly.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

N, tau = 64, 0.3
basis = torch.randn(6, 30)


def augment(x):
    x = x * (1 + 0.3 * torch.randn(len(x), 1)) + 0.8 * torch.randn_like(x)
    return x * (torch.rand_like(x) > 0.2)


def nt_xent(za, zb):
    z = F.normalize(torch.cat([za, zb]), dim=1)
    sim = z @ z.T / tau
    sim.fill_diagonal_(float("-inf"))
    n = len(za)
    target = torch.arange(2 * n).roll(n)
    return F.cross_entropy(sim, target)


encoder = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 32))
projector = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 16))
opt = torch.optim.SGD([*encoder.parameters(), *projector.parameters()], lr=0.2, momentum=0.9, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 250)
losses = []
for step in range(250):
    x = torch.randn(N, 6) @ basis
    loss = nt_xent(projector(encoder(augment(x))), projector(encoder(augment(x))))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    losses.append(loss.item())
print(f"loss first {losses[0]:.4f} last {losses[-1]:.4f}")
