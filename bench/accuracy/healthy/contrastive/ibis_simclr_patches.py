# fault: none
# family: contrastive
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

protos = torch.randn(40, 32)


def two_views(n):
    k = torch.randint(0, 40, (n,))
    base = protos[k] + 0.7 * torch.randn(n, 32)

    def view():
        return base * (torch.rand(n, 32) > 0.2) + 0.25 * torch.randn(n, 32)
    return view(), view(), k


def nt_xent(z1, z2, t=0.3):
    n = len(z1)
    z = F.normalize(torch.cat([z1, z2]), dim=1)
    sim = z @ z.t() / t
    sim = sim.masked_fill(torch.eye(2 * n, dtype=torch.bool), float("-inf"))
    target = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(sim, target)


encoder = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32))
projector = nn.Sequential(nn.ReLU(), nn.Linear(32, 16))
params = list(encoder.parameters()) + list(projector.parameters())
opt = torch.optim.AdamW(params, lr=1e-3, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 500)

for step in range(500):
    a, b, _ = two_views(64)
    loss = nt_xent(projector(encoder(a)), projector(encoder(b)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 50 == 0:
        print(f"step {step} nt-xent {loss.item():.4f}")

with torch.no_grad():
    x, _, k = two_views(600)
    h = F.normalize(encoder(x), dim=1)
    s = h @ h.t() - 10 * torch.eye(600)
    print("1-NN accuracy", (k[s.argmax(1)] == k).float().mean().item())
