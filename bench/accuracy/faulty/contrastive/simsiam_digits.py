# fault: constant-output
# cause_class: loss, structure
# family: contrastive
# split: tune
# set: tapir, unseen
"""SimSiam (Chen & He, 2021) on small synthetic glyphs, with a kNN probe."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
PROTO = (torch.rand(8, 1, 12, 12) > 0.6).float()


def glyphs(n):
    y = torch.randint(0, 8, (n,))
    return PROTO[y] + 0.15 * torch.randn(n, 1, 12, 12), y


def augment(x):
    dx, dy = torch.randint(-1, 2, (2,)).tolist()
    x = torch.roll(x, (dx, dy), (2, 3))
    x = x * (0.7 + 0.6 * torch.rand(len(x), 1, 1, 1))
    return x + 0.2 * torch.randn_like(x)


class SimSiam(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 12, 3, 2, 1), nn.ReLU(), nn.Conv2d(12, 24, 3, 2, 1), nn.ReLU(), nn.Flatten(),
            nn.Linear(24 * 9, d), nn.ReLU(), nn.Linear(d, d))
        self.predictor = nn.Sequential(nn.Linear(d, d // 4), nn.ReLU(), nn.Linear(d // 4, d))

    def forward(self, a, b):
        za, zb = self.encoder(a), self.encoder(b)
        return self.predictor(za), self.predictor(zb), za, zb


def D(p, z):
    return -F.cosine_similarity(p, z, dim=-1).mean()


@torch.no_grad()
def probe(model):
    model.eval()
    xa, ya = glyphs(300)
    xb, yb = glyphs(150)
    za, zb = F.normalize(model.encoder(xa)), F.normalize(model.encoder(xb))
    acc = (ya[(zb @ za.T).argmax(1)] == yb).float().mean().item()
    spread = za.std(0).mean().item()
    model.train()
    return acc, spread


model = SimSiam()
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 500)
data, _ = glyphs(2000)
for step in range(500):
    x = data[torch.randint(0, len(data), (64,))]
    p1, p2, z1, z2 = model(augment(x), augment(x))
    loss = 0.5 * D(p1, z2) + 0.5 * D(p2, z1)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 100 == 99:
        acc, spread = probe(model)
        print(f"step {step + 1} loss {loss.item():.4f} knn {acc:.3f} std {spread:.5f}")
