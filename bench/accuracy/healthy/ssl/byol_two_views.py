# fault: none
# family: ssl
# split: held
# BYOL with a linear read-out at the end
import copy
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
C, D = 6, 40
means = 1.2 * torch.randn(C, D)
Y = torch.randint(0, C, (1500,))
X = means[Y] + torch.randn(1500, D)
X = (X - X.mean(0)) / X.std(0)


def mlp(i, h, o):
    return nn.Sequential(nn.Linear(i, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Linear(h, o))


def view(x):
    return (x + 0.5 * torch.randn_like(x)) * (torch.rand_like(x) > 0.15)


def regression_loss(p, z):
    return 2 - 2 * F.cosine_similarity(p, z.detach(), dim=-1).mean()


online = nn.Sequential(mlp(D, 96, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 24))
predictor = mlp(24, 48, 24)
target = copy.deepcopy(online)
for p in target.parameters():
    p.requires_grad_(False)
opt = torch.optim.AdamW([*online.parameters(), *predictor.parameters()], lr=1e-3, weight_decay=1e-4)

steps, total = 0, 23 * 16
for epoch in range(16):
    s = 0.0
    for idx in torch.randperm(1472).split(64):
        a, b = view(X[idx]), view(X[idx])
        with torch.no_grad():
            ta, tb = target(a), target(b)
        loss = regression_loss(predictor(online(a)), tb) + regression_loss(predictor(online(b)), ta)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tau = 1 - 0.04 * (1 - steps / total)
        with torch.no_grad():
            for t, o in zip(target.parameters(), online.parameters()):
                t.mul_(tau).add_(o, alpha=1 - tau)
        steps += 1
        s += loss.item() / 23
    if epoch % 3 == 0:
        online.eval()
        with torch.no_grad():
            z = F.normalize(online(X), dim=1)
        online.train()
        sim = z[:1000] @ z[1000:].t()
        knn = (Y[:1000][sim.argmax(0)] == Y[1000:]).float().mean().item()
        print(f"epoch {epoch} loss {s:.4f} std of embedding {z.std(0).mean():.3f} nearest neighbour acc {knn:.3f}")
