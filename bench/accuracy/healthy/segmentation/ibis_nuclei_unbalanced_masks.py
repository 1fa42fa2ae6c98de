# fault: none
# family: segmentation
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


def cells(n, s=20):
    g = torch.arange(s).float()
    mask = torch.zeros(n, s, s)
    for _ in range(2):
        c = 3 + (s - 6) * torch.rand(n, 2)
        r = 1.5 + 1.0 * torch.rand(n)
        d = (g[None, :, None] - c[:, 0, None, None]) ** 2 + (g[None, None, :] - c[:, 1, None, None]) ** 2
        mask = torch.maximum(mask, (d < r[:, None, None] ** 2).float())
    return (mask * 1.2 - 0.1 + 0.5 * torch.randn(n, s, s)).unsqueeze(1), mask.unsqueeze(1)


class DiceBCE(nn.Module):
    def __init__(self, pos_weight):
        super().__init__()
        self.register_buffer("pw", torch.tensor([pos_weight]))

    def forward(self, logits, y):
        bce = F.binary_cross_entropy_with_logits(logits, y, pos_weight=self.pw)
        p = logits.sigmoid()
        dice = 1 - (2 * (p * y).sum((1, 2, 3)) + 1) / (p.sum((1, 2, 3)) + y.sum((1, 2, 3)) + 1)
        return bce + dice.mean()


x, y = cells(500)
xv, yv = cells(100)
loader = DataLoader(TensorDataset(x, y), batch_size=10, shuffle=True)
net = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 12, 3, padding=2, dilation=2), nn.ReLU(),
                    nn.Conv2d(12, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 1, 1))
crit = DiceBCE(pos_weight=float(((1 - y).sum() / y.sum()).sqrt()))
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
print("share of foreground", y.mean().item())
for epoch in range(6):
    net.train()
    tot = 0.0
    for a, b in loader:
        opt.zero_grad()
        loss = crit(net(a), b)
        loss.backward()
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        p = net(xv) > 0
        iou = ((p & (yv > 0)).sum() / (p | (yv > 0)).sum()).item()
    print(f"epoch {epoch} loss {tot / len(loader):.4f} IoU {iou:.3f}")
