# fault: none
# family: segmentation
# split: held
"""Masks are 0/255 PNGs; loss is BCE plus the logarithm of soft Dice."""
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)


class LesionSet(Dataset):
    def __init__(self, n, size=24, seed=0):
        g = torch.Generator().manual_seed(seed)
        yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        self.images, self.masks = [], []
        for _ in range(n):
            cx, cy = torch.randint(6, size - 6, (2,), generator=g)
            r = torch.randint(3, 6, (1,), generator=g)
            disk = ((xx - cx) ** 2 + (yy - cy) ** 2 <= r ** 2)
            img = 90 + 70 * disk + 30 * torch.randn(size, size, generator=g)
            self.images.append(img.clamp(0, 255).to(torch.uint8))
            self.masks.append((disk * 255).to(torch.uint8))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i].float().div(255).sub(0.4).div(0.15)[None], self.masks[i].gt(127).float()[None]


class LogDiceBCE(nn.Module):
    def __init__(self, weight=0.3, smooth=1.0):
        super().__init__()
        self.weight, self.smooth = weight, smooth

    def forward(self, logits, mask):
        p = torch.sigmoid(logits)
        dice = (2 * (p * mask).sum((1, 2, 3)) + self.smooth) / (p.sum((1, 2, 3)) + mask.sum((1, 2, 3)) + self.smooth)
        return F.binary_cross_entropy_with_logits(logits, mask) - self.weight * dice.log().mean()


class MiniUNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.enc1, self.enc2, self.dec = self.block(1, c), self.block(c, 2 * c), self.block(3 * c, c)
        self.out = nn.Conv2d(c, 1, 1)

    @staticmethod
    def block(i, o):
        return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(4, o), nn.ReLU(inplace=True))

    def forward(self, x):
        a = self.enc1(x)
        b = F.interpolate(self.enc2(F.max_pool2d(a, 2)), scale_factor=2, mode="nearest")
        return self.out(self.dec(torch.cat([a, b], 1)))


@torch.no_grad()
def iou(model, loader):
    model.eval()
    inter = union = 0
    for x, m in loader:
        p, t = model(x) > 0, m > 0.5
        inter, union = inter + (p & t).sum().item(), union + (p | t).sum().item()
    return inter / union


net, criterion = MiniUNet(), LogDiceBCE()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
train = DataLoader(LesionSet(400, seed=seed + 1), 16, shuffle=True)
valid = DataLoader(LesionSet(80, seed=seed + 2), 40)
for epoch in range(4):
    net.train()
    total = 0.0
    for x, m in train:
        loss = criterion(net(x), m)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(train):.4f} iou {iou(net, valid):.4f}")
