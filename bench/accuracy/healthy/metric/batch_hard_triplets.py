# fault: none
# family: metric
# split: tune
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
IDENTITIES, PER, MARGIN = 8, 6, 0.2
prototypes = torch.randn(40, 20)


def pk_batch(p=IDENTITIES, k=PER):
    ids = torch.randperm(40)[:p].repeat_interleave(k)
    return prototypes[ids] + 0.35 * torch.randn(p * k, 20), ids


def batch_hard(z, ids, margin):
    d = torch.cdist(z, z)
    same = ids[:, None] == ids[None]
    far = d.masked_fill(~same, 0).max(1).values
    near = d.masked_fill(same, 1e9).min(1).values
    return F.relu(far - near + margin)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(20, 64), nn.PReLU(), nn.Linear(64, 32))

    def forward(self, x):
        return F.normalize(self.f(x), dim=1)


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
gx, gid = torch.cat([prototypes + 0.35 * torch.randn(40, 20) for _ in range(5)]), torch.arange(40).repeat(5)
qx, qid = prototypes + 0.35 * torch.randn(40, 20), torch.arange(40)
for it in range(1, 401):
    net.train()
    x, ids = pk_batch()
    per = batch_hard(net(x), ids, MARGIN)
    loss = per.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 40 == 0:
        net.eval()
        with torch.no_grad():
            r1 = (gid[torch.cdist(net(qx), net(gx)).argmin(1)] == qid).float().mean().item()
        print(f"{it} loss {loss.item():.4f} active {(per > 0).float().mean():.2f} rank-1 {r1:.3f}")
