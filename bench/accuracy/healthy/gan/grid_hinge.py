# fault: none
# family: gan
# split: held
"""Four clusters, hinge losses, two discriminator updates per generator update."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
corners = torch.tensor([[1., 1.], [1., -1.], [-1., 1.], [-1., -1.]])


def real(n):
    return corners[torch.randint(4, (n,))] + 0.25 * torch.randn(n, 2)


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 64), nn.LeakyReLU(0.1), nn.Linear(64, 64), nn.LeakyReLU(0.1), nn.Linear(64, o))


gen, dis = mlp(6, 2), mlp(2, 1)
og = torch.optim.Adam(gen.parameters(), 1e-3, betas=(0.0, 0.9))
od = torch.optim.Adam(dis.parameters(), 1e-3, betas=(0.0, 0.9))
for it in range(1, 801):
    for _ in range(2):
        with torch.no_grad():
            fake = gen(torch.randn(64, 6))
        ld = torch.relu(1 - dis(real(64))).mean() + torch.relu(1 + dis(fake)).mean()
        od.zero_grad()
        ld.backward()
        od.step()
    lg = -dis(gen(torch.randn(64, 6))).mean()
    og.zero_grad()
    lg.backward()
    og.step()
    if it % 80 == 0:
        with torch.no_grad():
            s = gen(torch.randn(1000, 6))
            d = torch.cdist(s, corners)
            share = torch.bincount(d.argmin(1), minlength=4) / 1000
        print(f"it {it} D {ld.item():.3f} G {lg.item():.3f} distance to cluster {d.min(1).values.mean().item():.3f} shares {[round(v, 2) for v in share.tolist()]}")
