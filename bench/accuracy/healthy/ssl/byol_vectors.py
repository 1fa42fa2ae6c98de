# fault: none
# family: ssl
# split: tune
import copy
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
centers = torch.randn(8, 32)


def draw(n):
    c = torch.randint(0, 8, (n,))
    return centers[c] + 0.7 * torch.randn(n, 32), c


def view(x):
    return x * (torch.rand_like(x) > 0.25) + 0.2 * torch.randn_like(x)


def mlp(i, h, o):
    return nn.Sequential(nn.Linear(i, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Linear(h, o))


class BYOL(nn.Module):
    def __init__(self, tau=0.98):
        super().__init__()
        self.tau = tau
        self.online = nn.Sequential(mlp(32, 64, 48), nn.ReLU(), mlp(48, 64, 24))
        self.predictor = mlp(24, 48, 24)
        self.target = copy.deepcopy(self.online)
        self.target.requires_grad_(False)

    def loss(self, a, b):
        p, q = self.predictor(self.online(a)), self.predictor(self.online(b))
        with torch.no_grad():
            ta, tb = self.target(a), self.target(b)
        return 2 - F.cosine_similarity(p, tb).mean() - F.cosine_similarity(q, ta).mean()

    @torch.no_grad()
    def ema(self):
        for o, t in zip(self.online.parameters(), self.target.parameters()):
            t.lerp_(o, 1 - self.tau)


m = BYOL()
opt = torch.optim.AdamW([p for p in m.parameters() if p.requires_grad], lr=2e-3, weight_decay=1e-4)
m.train()
for it in range(400):
    x, _ = draw(96)
    loss = m.loss(view(x), view(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
    m.ema()
    if it % 50 == 49:
        print(it + 1, f"{loss.item():.4f}")

m.eval()
with torch.no_grad():
    xa, ca = draw(800)
    xb, cb = draw(200)
    fa, fb = F.normalize(m.online(xa), dim=1), F.normalize(m.online(xb), dim=1)
    print("spread", fa.std(0).mean().item(), "1-nn", (ca[(fb @ fa.t()).argmax(1)] == cb).float().mean().item())
