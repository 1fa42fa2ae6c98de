# fault: labels-outside-range
# cause_class: labels, data-scaling, loss
# family: segmentation
# split: held
import os

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
np.random.seed(seed)


class Blobs(Dataset):
    """Microscope-like pictures and their masks, kept as 8-bit arrays the way they lie on disk."""

    def __init__(self, n, size=20):
        yy, xx = np.mgrid[:size, :size]
        self.images = np.zeros((n, size, size), np.uint8)
        self.masks = np.zeros((n, size, size), np.uint8)
        for i in range(n):
            mask = np.zeros((size, size), bool)
            for _ in range(np.random.randint(1, 4)):
                cy, cx, r = np.random.uniform(3, size - 3, 2).tolist() + [np.random.uniform(2, 4.5)]
                mask |= (yy - cy) ** 2 + (xx - cx) ** 2 < r * r
            img = 90 + 60 * mask + 35 * np.random.randn(size, size)
            self.images[i] = img.clip(0, 255).astype(np.uint8)
            self.masks[i] = mask * 255

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = torch.from_numpy(self.images[i]).float().unsqueeze(0)
        mask = torch.from_numpy(self.masks[i]).float().unsqueeze(0)
        return (image - 110.0) / 45.0, mask


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())


class SmallUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = block(1, 8)
        self.mid = block(8, 16)
        self.up = nn.Upsample(scale_factor=2)
        self.last = nn.Sequential(block(24, 8), nn.Conv2d(8, 1, 1))

    def forward(self, x):
        a = self.down(x)
        b = self.up(self.mid(nn.functional.max_pool2d(a, 2)))
        return self.last(torch.cat([a, b], 1))


train, test = Blobs(320), Blobs(64)
net = SmallUNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
bce = nn.BCEWithLogitsLoss()

for epoch in range(8):
    net.train()
    run = 0.0
    for x, m in DataLoader(train, batch_size=16, shuffle=True):
        loss = bce(net(x), m)
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item() / 20
    net.eval()
    inter = union = 0.0
    with torch.no_grad():
        for x, m in DataLoader(test, batch_size=32):
            pred, true = net(x) > 0, m > 127
            inter += (pred & true).sum().item()
            union += (pred | true).sum().item()
    print(f"epoch {epoch} loss {run:.4f} iou {inter / union:.3f}")
