# fault: none
# family: segmentation
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


def discs(n, s=16):
    g = torch.arange(s).float()
    c, r = 4 + 8 * torch.rand(n, 2, 1, 1), 2 + 2.5 * torch.rand(n, 1, 1)
    m = ((g[None, :, None] - c[:, 0]) ** 2 + (g[None, None] - c[:, 1]) ** 2 < r ** 2).float().unsqueeze(1)
    return m + 0.6 * torch.randn(n, 1, s, s), m


class DiceBCE(nn.Module):
    def forward(self, out, m):
        p = out.sigmoid()
        dice = (2 * (p * m).sum((1, 2, 3)) + 1) / (p.sum((1, 2, 3)) + m.sum((1, 2, 3)) + 1)
        return 1 - dice.mean() + 0.5 * nn.functional.binary_cross_entropy_with_logits(out, m)


net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=2, dilation=2), nn.ReLU(),
                    nn.Conv2d(8, 1, 1))
nn.init.constant_(net[-1].bias, -1.5)
x, m = discs(800)
xv, mv = discs(100)
opt, crit = torch.optim.AdamW(net.parameters(), lr=3e-3), DiceBCE()
for epoch in range(4):
    tot = 0.0
    for b in torch.randperm(800).split(16):
        loss = crit(net(x[b]), m[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        p = net(xv) > 0
        iou = ((p & mv.bool()).sum() / (p | mv.bool()).sum()).item()
    print(f"{epoch} loss {tot / 50:.4f} IoU {iou:.3f}")
