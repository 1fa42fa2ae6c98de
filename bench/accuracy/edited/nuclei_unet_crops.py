# fault: none
# family: segmentation
# split: held
# set: vole, unseen
# nuclei segmentation, small U-Net. Fluorescence crops (RGB tif from the scope), mask drawn by hand.
import os, random
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED); np.random.seed(SEED); torch.manual_seed(SEED)

SIZE, N_TRAIN, N_VAL, BATCH, EPOCHS, LR = 24, 176, 40, 8, 5, 3e-3


def draw(rng):
    """one crop as uint8 HWC and its mask as uint8 HW (0 / 255), like the annotation tool exports them"""
    yy, xx = np.mgrid[0:SIZE, 0:SIZE]
    img = np.zeros((SIZE, SIZE, 3), np.float32)
    img += rng.uniform(20, 70) + rng.uniform(-1, 1) * (xx - SIZE / 2)[..., None]
    mask = np.zeros((SIZE, SIZE), np.uint8)
    for _ in range(rng.integers(1, 3)):
        cy, cx = rng.uniform(5, SIZE - 5, 2)
        a, b, th = rng.uniform(3, 5.5), rng.uniform(2.5, 4), rng.uniform(0, np.pi)
        u = (xx - cx) * np.cos(th) + (yy - cy) * np.sin(th)
        v = -(xx - cx) * np.sin(th) + (yy - cy) * np.cos(th)
        inside = (u / a) ** 2 + (v / b) ** 2 < 1
        mask[inside] = 255
        img[inside] += np.array([10, 15, 75]) * rng.uniform(0.7, 1.3)      # DAPI, mostly in blue
    for _ in range(2):                                                     # debris shines in red and blue
        cy, cx = rng.integers(2, SIZE - 2, 2)
        img[cy - 2:cy + 2, cx - 2:cx + 2] += np.array([110, 0, 60])
    img += rng.normal(0, 18, img.shape)
    return img.clip(0, 255).astype(np.uint8), mask


class Nuclei(Dataset):
    def __init__(self, n, seed, augment=False):
        rng = np.random.default_rng(seed)
        self.items = [draw(rng) for _ in range(n)]
        self.augment = augment

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        img, mask = self.items[i]
        x = torch.from_numpy(img).permute(2, 0, 1).float() / 255
        y = torch.from_numpy(mask).float()[None] / 255
        if self.augment:
            if random.random() < 0.5:
                x, y = x.flip(-1), y.flip(-1)
            if random.random() < 0.5:
                x, y = x.flip(-2), y.flip(-2)
        return x, y


def block(i, o):
    return nn.Sequential(
        nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o, momentum=0.1), nn.ReLU(inplace=True),
        nn.Conv2d(o, o, 3, padding=1, bias=False), nn.BatchNorm2d(o, momentum=0.1), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self, w=8):
        super().__init__()
        self.d1, self.d2, self.mid = block(3, w), block(w, 2 * w), block(2 * w, 4 * w)
        self.up2 = nn.ConvTranspose2d(4 * w, 2 * w, 2, stride=2)
        self.u2 = block(4 * w, 2 * w)
        self.up1 = nn.ConvTranspose2d(2 * w, w, 2, stride=2)
        self.u1 = block(2 * w, w)
        self.head = nn.Conv2d(w, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        c = self.mid(F.max_pool2d(b, 2))
        y = self.u2(torch.cat([self.up2(c), b], 1))
        y = self.u1(torch.cat([self.up1(y), a], 1))
        return self.head(y)


def dice_loss(logits, target):
    p = torch.sigmoid(logits)
    inter = (p * target).sum((1, 2, 3))
    total = p.sum((1, 2, 3)) + target.sum((1, 2, 3))
    return 1 - ((2 * inter + 1) / (total + 1)).mean()


@torch.no_grad()
def validate(model, loader):
    model.eval()
    scores = []
    for x, y in loader:
        p = torch.sigmoid(model(x)) > 0.5
        t = y > 0.5
        inter = (p & t).sum((1, 2, 3)).float()
        scores.append(2 * inter / (p.sum((1, 2, 3)) + t.sum((1, 2, 3))).clamp(min=1))
    return torch.cat(scores).mean().item()


train_set = Nuclei(N_TRAIN, SEED + 10, augment=True)
val_set = Nuclei(N_VAL, SEED + 11)
train_loader = DataLoader(train_set, batch_size=BATCH, shuffle=True)
val_loader = DataLoader(val_set, batch_size=8)

model = UNet()
bce = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=LR)

for epoch in range(EPOCHS):
    model.train()
    tot = 0.0
    for step, (x, y) in enumerate(train_loader):
        optimizer.zero_grad()
        out = model(x)
        loss = bce(out, y) + 0.5 * dice_loss(out, y)
        loss.backward()
        optimizer.step()
        tot += loss.item()
    print("epoch %d  train loss %.4f  val dice %.4f" % (epoch + 1, tot / len(train_loader), validate(model, val_loader)))

print("METRIC val_dice %.4f" % validate(model, val_loader))
