# fault: none
# family: byol
# split: tune
import copy
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
K, D = 8, 24
centres = torch.randn(K, D) * 1.2


def views(n):
    y = torch.randint(0, K, (n,))
    base = centres[y] + 0.3 * torch.randn(n, D)
    aug = lambda b: b * (torch.rand_like(b) > 0.15) + 0.2 * torch.randn_like(b)
    return aug(base), aug(base), base, y


class Byol(nn.Module):
    def __init__(self, tau=0.98):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(D, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 24))
        self.predictor = nn.Sequential(nn.Linear(24, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 24))
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.tau = tau

    def loss(self, a, b):
        p = F.normalize(self.predictor(self.online(a)), dim=1)
        with torch.no_grad():
            z = F.normalize(self.target(b), dim=1)
        return 2 - 2 * (p * z).sum(1).mean()

    @torch.no_grad()
    def momentum(self):
        for t, o in zip(self.target.parameters(), self.online.parameters()):
            t.lerp_(o, 1 - self.tau)


m = Byol()
opt = torch.optim.AdamW([p for p in m.parameters() if p.requires_grad], lr=2e-3, weight_decay=1e-4)


def neighbours():
    m.eval()
    with torch.no_grad():
        _, _, x, y = views(400)
        z = F.normalize(m.online(x), dim=1)
        s = z @ z.t() - 2 * torch.eye(400)
        acc = (y[s.argmax(1)] == y).float().mean()
    m.train()
    return acc.item(), z.std(0).mean().item()


print("start 1-NN %.3f" % neighbours()[0])
for step in range(500):
    a, b, _, _ = views(96)
    loss = 0.5 * (m.loss(a, b) + m.loss(b, a))
    opt.zero_grad()
    loss.backward()
    opt.step()
    m.momentum()
    if step % 100 == 99:
        print(f"step {step + 1} loss {loss.item():.4f} 1-NN %.3f spread %.3f" % neighbours())
