# fault: none
# family: robotics
# split: held
#!/usr/bin/env python3
# learned inverse kinematics, planar 3-link arm with markers on every link
import os, torch
from torch import nn, optim

SEED = int(os.environ.get("SEED", 0)); torch.manual_seed(SEED)
LINKS = torch.tensor([0.40, 0.30, 0.15])
LIMITS = torch.tensor([2.6, 2.4, 2.0])               # rad, symmetric


def fk(q):
    """marker positions of the three link ends -> (n, 6)"""
    phi = q.cumsum(1)
    px = (LINKS * phi.cos()).cumsum(1)
    py = (LINKS * phi.sin()).cumsum(1)
    return torch.stack([px, py], 2).flatten(1)


def batch(n):
    q = (torch.rand(n, 3) * 2 - 1) * LIMITS
    m = fk(q) + 0.002 * torch.randn(n, 6)
    return m / 0.4, q


class IKNet(nn.Module):
    def __init__(self, width=128):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(6, width), nn.ELU(), nn.Linear(width, width), nn.ELU(),
                                   nn.Linear(width, width), nn.ELU())
        self.joints = nn.Linear(width, 3)

    def forward(self, m):
        return LIMITS * 1.05 * torch.tanh(self.joints(self.trunk(m)))


net = IKNet()
opt = optim.AdamW(net.parameters(), lr=1.5e-3)
sch = optim.lr_scheduler.CosineAnnealingLR(opt, 1200)
mv, qv = batch(1000)
for i in range(1, 1201):
    m, q = batch(128)
    loss = nn.functional.smooth_l1_loss(net(m), q)
    opt.zero_grad(); loss.backward(); opt.step(); sch.step()
    if i % 200 == 0:
        with torch.no_grad():
            qh = net(mv)
            mm = (fk(qh) - fk(qv)).view(-1, 3, 2)[:, -1].norm(dim=1).mean() * 1000
            deg = (qh - qv).abs().mean() * 57.3
        print(f"iter {i:5d} | loss {loss.item():.4f} | joint error {deg:.1f} deg | tip error {mm:.0f} mm")
