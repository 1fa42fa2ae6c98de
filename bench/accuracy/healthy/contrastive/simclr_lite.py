# fault: none
# family: contrastive
# split: tune
"""NT-Xent on vectors; the loss starts near log(2N-1)."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
K, DIM = 10, 40
centres = torch.randn(K, DIM)


def items(n):
    y = torch.randint(0, K, (n,))
    return centres[y] + 0.7 * torch.randn(n, DIM), y


def augment(x):
    return x * (torch.rand_like(x) > 0.2) + 0.3 * torch.randn_like(x)


def nt_xent(a, b, tau=0.5):
    z = F.normalize(torch.cat([a, b]), dim=1)
    sim = z @ z.T / tau
    sim.fill_diagonal_(float("-inf"))
    n = len(a)
    target = torch.cat([torch.arange(n) + n, torch.arange(n)])
    return F.cross_entropy(sim, target)


backbone = nn.Sequential(nn.Linear(DIM, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
projector = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 16))
opt = torch.optim.Adam([*backbone.parameters(), *projector.parameters()], lr=1e-3, weight_decay=1e-6)
x, y = items(1500)
xt, yt = items(400)
for epoch in range(12):
    tot = 0
    for idx in torch.randperm(len(x))[:1472].split(64):
        loss = nt_xent(projector(backbone(augment(x[idx]))), projector(backbone(augment(x[idx]))))
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():                 # nearest neighbour accuracy of the features
        bank, q = F.normalize(backbone(x), dim=1), F.normalize(backbone(xt), dim=1)
        knn = (y[(q @ bank.T).argmax(1)] == yt).float().mean()
    print(f"epoch {epoch} loss {tot / 23:.4f} 1-NN {knn:.3f}")
