# fault: none
# family: selfsup
# split: held
import copy
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


def waves(n, length=40):
    kind = torch.randint(0, 4, (n,))
    t = torch.linspace(0, 1, length)
    f = torch.tensor([2.0, 4.0, 6.0, 9.0])[kind][:, None]
    return torch.sin(2 * math.pi * f * t + 6.28 * torch.rand(n, 1)), kind


def augment(x):
    x = torch.stack([torch.roll(r, int(s)) for r, s in zip(x, torch.randint(0, 40, (len(x),)))])
    return x * (0.7 + 0.6 * torch.rand(len(x), 1)) + 0.2 * torch.randn_like(x)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(1, 16, 7, padding=3, padding_mode="circular"), nn.BatchNorm1d(16), nn.ReLU(),
                                  nn.Conv1d(16, 24, 5, padding=2, padding_mode="circular"), nn.BatchNorm1d(24), nn.ReLU())
        self.proj = nn.Sequential(nn.Linear(24, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 16))

    def represent(self, x):
        return self.conv(x.unsqueeze(1)).mean(2)

    def forward(self, x):
        return self.proj(self.represent(x))


online = Encoder()
predictor = nn.Sequential(nn.Linear(16, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 16))
target = copy.deepcopy(online).requires_grad_(False)
opt = torch.optim.Adam([*online.parameters(), *predictor.parameters()], lr=2e-3)
data, kinds = waves(1500)


def similarity(p, z):
    return F.cosine_similarity(p, z.detach(), dim=-1).mean()


def probe():
    online.eval()
    with torch.no_grad():
        r = online.represent(data)
    online.train()
    r = (r - r.mean(0)) / (r.std(0) + 1e-5)
    a = torch.cat([r, torch.ones(len(r), 1)], 1)
    w = torch.linalg.lstsq(a[:1000], F.one_hot(kinds[:1000], 4).float(), driver="gelsd").solution
    return ((a[1000:] @ w).argmax(1) == kinds[1000:]).float().mean().item()


for step in range(240):
    x = data[torch.randint(0, 1000, (64,))]
    a, b = augment(x), augment(x)
    with torch.no_grad():
        ta, tb = target(a), target(b)
    loss = -0.5 * (similarity(predictor(online(a)), tb) + similarity(predictor(online(b)), ta))
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p, q in zip(target.parameters(), online.parameters()):
            p.lerp_(q, 0.02)
    if step % 50 == 0 or step == 239:
        print(f"{step:3d} loss {loss.item():.4f} linear probe {probe():.3f}")
