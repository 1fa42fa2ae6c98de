# fault: none
# family: cnn
# split: held
import os
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", "0"))
torch.manual_seed(seed)
rng = np.random.default_rng(seed)


def textures(n):
    y = torch.randint(0, 4, (n,))
    a = torch.linspace(0, 1, 14)
    yy, xx = torch.meshgrid(a, a, indexing="ij")
    ang = (y.float() * np.pi / 4 + 0.12 * torch.randn(n))[:, None, None]
    wave = torch.sin(20 * (xx * ang.cos() + yy * ang.sin()) + 6.28 * torch.rand(n, 1, 1))
    return (wave + 0.7 * torch.randn(n, 14, 14)).unsqueeze(1), y


def mixup(x, y, alpha=1.0):
    lam = float(rng.beta(alpha, alpha))
    j = torch.randperm(len(x))
    return lam * x + (1 - lam) * x[j], y, y[j], lam


x, y = textures(1400)
xv, yv = textures(400)
net = nn.Sequential(nn.Conv2d(1, 12, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(),
                    nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Dropout(0.1), nn.Linear(24, 4))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for ep in range(8):
    net.train()
    tot = 0.0
    for j in torch.randperm(1400).split(50):
        xm, ya, yb, lam = mixup(x[j], y[j])
        out = net(xm)
        loss = lam * F.cross_entropy(out, ya) + (1 - lam) * F.cross_entropy(out, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 28
    net.eval()
    with torch.no_grad():
        out = net(xv)
    print(f"epoch {ep} train (mixed) {tot:.3f} val {F.cross_entropy(out, yv).item():.3f} acc {(out.argmax(1) == yv).float().mean().item():.3f}")
