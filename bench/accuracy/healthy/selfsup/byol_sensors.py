# fault: none
# family: selfsup
# split: held
"""BYOL on multichannel windows: online network, predictor, EMA target; then a linear probe."""
import copy
import os

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
CLASSES, D = 5, 40
PROTO = torch.randn(CLASSES, D)


def windows(n):
    y = torch.randint(0, CLASSES, (n,))
    return PROTO[y] + 0.7 * torch.randn(n, D), y


def augment(x):
    x = x + 0.3 * torch.randn_like(x)
    return x * (torch.rand_like(x) > 0.2) * (0.8 + 0.4 * torch.rand(len(x), 1))


def mlp(i, h, o):
    return nn.Sequential(nn.Linear(i, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Linear(h, o))


class BYOL(nn.Module):
    def __init__(self, decay=0.98):
        super().__init__()
        self.online = nn.Sequential(mlp(D, 64, 32), mlp(32, 64, 16))
        self.predictor = mlp(16, 32, 16)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.decay = decay

    def half(self, a, b):
        p = self.predictor(self.online(a))
        with torch.no_grad():
            z = self.target(b)
        return 2 - 2 * F.cosine_similarity(p, z, dim=-1).mean()

    def forward(self, x):
        a, b = augment(x), augment(x)
        return 0.5 * (self.half(a, b) + self.half(b, a))

    @torch.no_grad()
    def update_target(self):
        for t, o in zip(self.target.parameters(), self.online.parameters()):
            t.lerp_(o, 1 - self.decay)


def probe(model, steps=100):
    model.eval()
    with torch.no_grad():
        xt, yt = windows(1000)
        xv, yv = windows(500)
        ft, fv = model.online[0](xt), model.online[0](xv)
    model.train()
    head = nn.Linear(32, CLASSES)
    opt = torch.optim.Adam(head.parameters(), lr=2e-2)
    for _ in range(steps):
        opt.zero_grad()
        loss = F.cross_entropy(head(ft), yt)
        loss.backward()
        opt.step()
    with torch.no_grad():
        return (head(fv).argmax(1) == yv).float().mean().item(), fv.std(0).mean().item()


model = BYOL()
optimizer = torch.optim.AdamW([*model.online.parameters(), *model.predictor.parameters()], lr=2e-3, weight_decay=1e-4)
for step in range(301):
    loss = model(windows(128)[0])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.update_target()
    if step % 50 == 0:
        print(f"step {step} loss {loss.item():.4f}")
acc, spread = probe(model)
print(f"probe accuracy {acc:.3f}, feature std {spread:.3f}")
