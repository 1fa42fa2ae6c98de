# fault: none
# family: contrastive
# split: held
import copy
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class BYOL(nn.Module):
    def __init__(self, d=30, h=64, z=16, tau=0.98):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(d, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Linear(h, z))
        self.predictor = nn.Sequential(nn.Linear(z, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Linear(h, z))
        self.target = copy.deepcopy(self.online)
        for p in self.target.parameters():
            p.requires_grad = False
        self.tau = tau

    def forward(self, a, b):
        with torch.no_grad():
            ta, tb = F.normalize(self.target(a), dim=1), F.normalize(self.target(b), dim=1)
        pa = F.normalize(self.predictor(self.online(a)), dim=1)
        pb = F.normalize(self.predictor(self.online(b)), dim=1)
        return (2 - 2 * (pa * tb).sum(1)).mean() + (2 - 2 * (pb * ta).sum(1)).mean()

    @torch.no_grad()
    def update_target(self):
        for o, t in zip(self.online.parameters(), self.target.parameters()):
            t.lerp_(o, 1 - self.tau)


kinds = torch.randn(10, 30) * 1.3
y = torch.randint(0, 10, (2000,))
x = kinds[y] + 0.5 * torch.randn(2000, 30)


def view(v):
    return v + 0.4 * torch.randn_like(v)


model = BYOL()
opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-3)
for step in range(1, 501):
    b = torch.randint(0, 1600, (64,))
    loss = model(view(x[b]), view(x[b]))
    opt.zero_grad()
    loss.backward()
    opt.step()
    model.update_target()
    if step % 100 == 0:
        model.eval()
        with torch.no_grad():
            z = F.normalize(model.online(x), dim=1)
            nearest = (z[1600:] @ z[:1600].t()).argmax(1)
            acc = (y[:1600][nearest] == y[1600:]).float().mean().item()
        model.train()
        print(f"{step} loss {loss.item():.4f} 1-nn {acc:.3f} feature std {z.std(0).mean().item():.3f}")
