# fault: none
# family: segmentation
# split: held
"""Small bright rings; the loss is one minus the Tversky index, nothing else."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def scenes(n, s=18):
    g = torch.arange(s).float()
    c = 5 + 8 * torch.rand(n, 2)
    d = ((g.view(1, s, 1) - c[:, :1, None]) ** 2 + (g.view(1, 1, s) - c[:, 1:, None]) ** 2).sqrt()
    m = ((d > 1.5) & (d < 4)).float().unsqueeze(1)
    return 1.5 * m - 0.3 + 0.5 * torch.randn(n, 1, s, s), m


def tversky_loss(logits, m, a=0.4, b=0.6):
    p = torch.sigmoid(logits)
    tp, fp, fn = (p * m).sum((1, 2, 3)), (p * (1 - m)).sum((1, 2, 3)), ((1 - p) * m).sum((1, 2, 3))
    return 1 - ((tp + 1) / (tp + a * fp + b * fn + 1)).mean()


x, m = scenes(400)
xv, mv = scenes(100)
net = nn.Sequential(nn.Conv2d(1, 10, 3, padding=1), nn.ReLU(), nn.Conv2d(10, 10, 3, padding=1), nn.ReLU(), nn.Conv2d(10, 1, 3, padding=1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(12):
    for b in torch.randperm(400).split(20):
        loss = tversky_loss(net(x[b]), m[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = net(xv)
        p = o > 0
        iou = (p & (mv > 0)).sum() / (p | (mv > 0)).sum()
    print(f"epoch {epoch} train {loss.item():.4f} val {tversky_loss(o, mv).item():.4f} iou {iou.item():.3f}")
