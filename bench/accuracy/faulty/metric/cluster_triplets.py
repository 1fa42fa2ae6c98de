# fault: loss-misused
# cause_class: loss
# family: metric
# split: tune
import os
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
centres = torch.randn(10, 20)
lab = torch.randint(0, 10, (1500,))
x = centres[lab] + 0.8 * torch.randn(1500, 20)


def triplets(n):
    a = torch.randint(0, 1500, (n,))
    p = torch.stack([torch.nonzero(lab == lab[k])[torch.randint(0, int((lab == lab[k]).sum()), (1,))].squeeze() for k in a])
    return a, p, torch.randint(0, 1500, (n,))


net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 16))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for it in range(150):
    a, p, n = triplets(64)
    ea, ep, en = (F.normalize(net(x[k]), dim=1) for k in (a, p, n))
    dp, dn = (ea - ep).pow(2).sum(1), (ea - en).pow(2).sum(1)
    loss = F.relu(dn - dp + 0.3).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 15 == 0:
        print(it, loss.item(), (dp < dn).float().mean().item())
