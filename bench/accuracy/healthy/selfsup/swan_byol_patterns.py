# fault: none
# family: selfsup
# split: held
"""BYOL on noisy prototype patterns; EMA target, predictor on the online side only."""
import copy
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
CLASSES, DIM, STEPS = 8, 48, 500
protos = torch.randn(CLASSES, DIM)
drift = torch.randn(4, DIM)


def sample(n):
    y = torch.randint(0, CLASSES, (n,))
    return protos[y] + torch.randn(n, 4) @ drift + 0.4 * torch.randn(n, DIM), y


def view(x):
    keep = (torch.rand_like(x) > 0.25).float()
    return x * keep + torch.randn(len(x), 4) @ drift + 0.2 * torch.randn_like(x)


def mlp(i, h, o):
    return nn.Sequential(nn.Linear(i, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Linear(h, o))


class BYOL(nn.Module):
    def __init__(self, tau=0.98):
        super().__init__()
        self.encoder = mlp(DIM, 96, 48)
        self.projector = mlp(48, 64, 24)
        self.predictor = mlp(24, 48, 24)
        self.target = copy.deepcopy(nn.Sequential(self.encoder, self.projector)).requires_grad_(False)
        self.tau0 = tau

    def forward(self, a, b):
        p = [self.predictor(self.projector(self.encoder(v))) for v in (a, b)]
        with torch.no_grad():
            z = [self.target(v) for v in (b, a)]
        return sum(2 - 2 * F.cosine_similarity(i, j, dim=-1).mean() for i, j in zip(p, z)) / 2

    @torch.no_grad()
    def update_target(self, frac):
        tau = 1 - (1 - self.tau0) * (math.cos(math.pi * frac) + 1) / 2
        online = nn.Sequential(self.encoder, self.projector)
        for t, o in zip(self.target.parameters(), online.parameters()):
            t.lerp_(o, 1 - tau)


def knn(model, bank, query, k=7):
    model.eval()
    with torch.no_grad():
        hb, hq = (F.normalize(model.encoder(x), dim=-1) for x in (bank[0], query[0]))
    model.train()
    votes = bank[1][(hq @ hb.T).topk(k).indices]
    return (votes.mode(1).values == query[1]).float().mean().item()


model = BYOL()
trainable = [p for p in model.parameters() if p.requires_grad]
opt = torch.optim.AdamW(trainable, lr=2e-3, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, STEPS)
bank, query = sample(800), sample(400)
for step in range(STEPS):
    x, _ = sample(128)
    loss = model(view(x), view(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    model.update_target(step / STEPS)
    if step % 50 == 0 or step == STEPS - 1:
        print(f"{step:4d} loss {loss.item():.4f} knn {knn(model, bank, query):.3f}")
