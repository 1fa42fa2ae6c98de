# fault: none
# family: selfsup
# split: tune
"""BYOL: online network, predictor, slowly moving target without gradient."""
import copy
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
basis = torch.randn(8, 48)


def batch(n):
    y = torch.randint(0, 8, (n,))
    return basis[y] + 0.8 * torch.randn(n, 48), y


def view(x):
    return x + 0.4 * torch.randn_like(x)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(48, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 32))
        self.g = nn.Sequential(nn.Linear(32, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 16))

    def forward(self, x):
        return self.g(self.f(x))


class BYOL(nn.Module):
    def __init__(self, tau=0.99):
        super().__init__()
        self.online = Encoder()
        self.predictor = nn.Sequential(nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 16))
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.tau = tau

    @torch.no_grad()
    def update_target(self):
        for t, o in zip(self.target.parameters(), self.online.parameters()):
            t.lerp_(o, 1 - self.tau)

    def forward(self, a, b):
        pa, pb = self.predictor(self.online(a)), self.predictor(self.online(b))
        with torch.no_grad():
            ta, tb = self.target(a), self.target(b)
        return (2 - F.cosine_similarity(pa, tb).mean() - F.cosine_similarity(pb, ta).mean())


model = BYOL()
opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-3)
xt, yt = batch(400)
bank, yb = batch(800)
for step in range(1, 401):
    x, _ = batch(96)
    loss = model(view(x), view(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
    model.update_target()
    if step % 50 == 0:
        model.eval()
        with torch.no_grad():
            f1, f2 = F.normalize(model.online.f(xt), dim=1), F.normalize(model.online.f(bank), dim=1)
            acc = (yb[(f1 @ f2.T).argmax(1)] == yt).float().mean()
        model.train()
        print(step, f"loss {loss.item():.4f} 1-NN {acc:.3f} spread {f1.std(0).mean():.3f}")
