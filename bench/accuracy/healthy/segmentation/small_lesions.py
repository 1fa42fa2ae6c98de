# fault: none
# family: segmentation
# split: tune
"""Small bright spots on a dark noisy ground: soft Dice plus cross-entropy, very few positive pixels."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def scans(n, s=20):
    mask = torch.zeros(n, 1, s, s)
    for k in range(n):
        r, c = torch.randint(2, s - 4, (2,)).tolist()
        mask[k, 0, r:r + 3, c:c + 3] = 1
    return mask * 1.5 + 0.6 * torch.randn(n, 1, s, s), mask


class DiceBCE(nn.Module):
    def __init__(self, w=0.5):
        super().__init__()
        self.w = w

    def forward(self, logits, target):
        p = logits.sigmoid().flatten(1)
        t = target.flatten(1)
        dice = 1 - (2 * (p * t).sum(1) + 1) / (p.sum(1) + t.sum(1) + 1)
        bce = nn.functional.binary_cross_entropy_with_logits(logits, target)
        return self.w * dice.mean() + (1 - self.w) * bce


class Net(nn.Module):
    def __init__(self, c=10):
        super().__init__()
        self.a = nn.Sequential(nn.Conv2d(1, c, 3, padding=1), nn.GroupNorm(2, c), nn.ReLU())
        self.b = nn.Sequential(nn.Conv2d(c, 2 * c, 3, stride=2, padding=1), nn.GroupNorm(2, 2 * c), nn.ReLU())
        self.up = nn.ConvTranspose2d(2 * c, c, 2, stride=2)
        self.out = nn.Conv2d(2 * c, 1, 1)

    def forward(self, x):
        a = self.a(x)
        return self.out(torch.cat([a, self.up(self.b(a))], 1))


x, m = scans(360)
xv, mv = scans(60)
net, crit = Net(), DiceBCE()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(8):
    net.train()
    tot = 0
    for idx in torch.randperm(len(x)).split(12):
        opt.zero_grad()
        loss = crit(net(x[idx]), m[idx])
        loss.backward()
        opt.step()
        tot += loss.item() * len(idx) / len(x)
    net.eval()
    with torch.no_grad():
        p = (net(xv) > 0).float()
        dice = 2 * (p * mv).sum() / (p.sum() + mv.sum())
    print(f"epoch {epoch} loss {tot:.4f} val dice {dice:.3f}")
