# fault: none
# family: segmentation
# split: tune
# A small U-Net with dice plus BCE; foreground is a tenth of the pixels.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


def double_conv(i, o):
    return nn.Sequential(
        nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
        nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2, self.mid = double_conv(1, 6), double_conv(6, 12), double_conv(12, 24)
        self.up2, self.dec2 = nn.ConvTranspose2d(24, 12, 2, 2), double_conv(24, 12)
        self.up1, self.dec1 = nn.ConvTranspose2d(12, 6, 2, 2), double_conv(12, 6)
        self.out = nn.Conv2d(6, 1, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        m = self.mid(F.max_pool2d(b, 2))
        d = self.dec2(torch.cat([self.up2(m), b], 1))
        d = self.dec1(torch.cat([self.up1(d), a], 1))
        return self.out(d)


def dice_loss(logits, target, eps=1.0):
    p = torch.sigmoid(logits)
    inter = (p * target).sum((1, 2, 3))
    return (1 - (2 * inter + eps) / (p.sum((1, 2, 3)) + target.sum((1, 2, 3)) + eps)).mean()


def scenes(n):
    g = torch.arange(16).float()
    c = 3 + 10 * torch.rand(n, 2, 1, 1)
    r = 1.5 + 2 * torch.rand(n, 1, 1)
    mask = ((g[None, :, None] - c[:, 0]) ** 2 + (g[None, None] - c[:, 1]) ** 2 < r**2).float().unsqueeze(1)
    return mask * 1.2 + 0.5 * torch.randn(n, 1, 16, 16), mask


net = UNet()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
log = []
for step in range(120):
    x, m = scenes(16)
    z = net(x)
    loss = dice_loss(z, m) + F.binary_cross_entropy_with_logits(z, m)
    opt.zero_grad()
    loss.backward()
    opt.step()
    log.append(loss.item())
print(f"loss first {log[0]:.4f} last {log[-1]:.4f}")
