# fault: labels-outside-range
# cause_class: labels, data-scaling, loss
# family: segmentation
# split: held
import os

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
rng = np.random.default_rng(int(os.environ.get("SEED", 0)))


def synth(n, size=24):
    yy, xx = np.mgrid[:size, :size]
    images = np.empty((n, size, size), np.uint8)
    masks = np.empty((n, size, size), np.uint8)
    for i in range(n):
        cy, cx = rng.uniform(6, size - 6, 2)
        a, b = rng.uniform(3, 6, 2)
        blob = ((yy - cy) / a) ** 2 + ((xx - cx) / b) ** 2 < 1
        skin = 150 + 10 * rng.standard_normal((size, size)) + 1.2 * (xx - size / 2)
        images[i] = np.clip(skin - 45 * blob + 8 * rng.standard_normal((size, size)), 0, 255)
        masks[i] = blob * 255
    return images, masks


class LesionDataset(Dataset):
    """images and masks as they come from the PNG files"""

    def __init__(self, images, masks, augment=False):
        self.images, self.masks, self.augment = images, masks, augment

    def __len__(self):
        return len(self.images)

    def __getitem__(self, idx):
        image, mask = self.images[idx], self.masks[idx]
        if self.augment and np.random.rand() < 0.5:
            image, mask = image[:, ::-1].copy(), mask[:, ::-1].copy()
        image = torch.from_numpy(image).float().div(255).sub(0.5).div(0.15).unsqueeze(0)
        mask = torch.from_numpy(mask).float().unsqueeze(0)
        return image, mask


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class MiniUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.d1, self.d2 = block(1, 8), block(8, 16)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.u1 = block(16, 8)
        self.out = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(self.pool(a))
        return self.out(self.u1(torch.cat([a, self.up(b)], 1)))


def iou(logits, mask):
    p, m = logits > 0, mask > 0
    return ((p & m).sum() / (p | m).sum().clamp(min=1)).item()


train_loader = DataLoader(LesionDataset(*synth(240), augment=True), batch_size=8, shuffle=True)
val_loader = DataLoader(LesionDataset(*synth(60)), batch_size=30)
net = MiniUNet()
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(8):
    net.train()
    epoch_loss = 0
    for image, mask in train_loader:
        optimizer.zero_grad()
        loss = criterion(net(image), mask)
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
    net.eval()
    with torch.no_grad():
        scores = [iou(net(i), m) for i, m in val_loader]
    print(f"[{epoch + 1}] loss {epoch_loss / len(train_loader):.3f}  val IoU {np.mean(scores):.3f}")
