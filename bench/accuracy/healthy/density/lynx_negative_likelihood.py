# fault: none
# family: density
# split: held
# needs: numpy
import os
import math
import numpy as np
import torch
import torch.nn as nn

seed = int(os.environ.get("SEED", 0))
np.random.seed(seed)
torch.manual_seed(seed)

# Inverse problem from Bishop's MDN report: x = y + 0.3 sin(2 pi y) + noise, predict y from x. Several y for one x.
N = 3000
y = np.random.rand(N).astype(np.float32)
x = y + 0.3 * np.sin(2 * np.pi * y) + 0.02 * np.random.randn(N).astype(np.float32)
X = torch.tensor((x - 0.5) / 0.35, dtype=torch.float32)[:, None]
Y = torch.tensor(y, dtype=torch.float32)[:, None]
Xtr, Ytr, Xva, Yva = X[:2500], Y[:2500], X[2500:], Y[2500:]


class MDN(nn.Module):
    def __init__(self, hidden=48, k=5):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(1, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.pi, self.mu, self.s = nn.Linear(hidden, k), nn.Linear(hidden, k), nn.Linear(hidden, k)

    def forward(self, x):
        h = self.trunk(x)
        return self.pi(h).log_softmax(-1), self.mu(h), nn.functional.softplus(self.s(h)) + 5e-3

    def nll(self, x, y):
        logpi, mu, sigma = self(x)
        comp = -0.5 * ((y - mu) / sigma) ** 2 - sigma.log() - 0.5 * math.log(2 * math.pi)
        return -torch.logsumexp(logpi + comp, dim=-1).mean()


def train(model, epochs=30, batch=100):
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for e in range(epochs):
        perm = torch.randperm(len(Xtr))
        total = 0.0
        for i in range(0, len(perm), batch):
            idx = perm[i:i + batch]
            loss = model.nll(Xtr[idx], Ytr[idx])
            opt.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            total += loss.item()
        sched.step()
        if e % 3 == 2:
            with torch.no_grad():
                print("epoch %d: train NLL %.3f, val NLL %.3f  (yes, below zero: a density may exceed 1)"
                      % (e + 1, total / 25, model.nll(Xva, Yva)))


train(MDN())
