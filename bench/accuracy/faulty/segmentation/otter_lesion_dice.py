# fault: logits-as-probabilities
# cause_class: output-activation, loss
# family: segmentation
# split: tune
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)


class Lesions(Dataset):
    def __init__(self, n, size=24):
        yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        self.items = []
        for _ in range(n):
            cy, cx = torch.randint(5, size - 5, (2,)).tolist()
            r = 3 + 3 * torch.rand(()).item()
            mask = ((yy - cy) ** 2 + (xx - cx) ** 2 < r * r).float()
            img = 0.9 * mask + 0.4 * torch.randn(size, size)
            self.items.append((((img - img.mean()) / img.std())[None], mask[None]))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(),
                         nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())


class UNet(nn.Module):
    def __init__(self, w=8):
        super().__init__()
        self.d1, self.d2 = block(1, w), block(w, 2 * w)
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.u1 = block(3 * w, w)
        self.head = nn.Conv2d(w, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(nn.functional.max_pool2d(a, 2))
        return self.head(self.u1(torch.cat([a, self.up(b)], 1)))


class SoftDice(nn.Module):
    def __init__(self, smooth=1.0):
        super().__init__()
        self.smooth = smooth

    def forward(self, pred, mask):
        pred, mask = pred.flatten(1), mask.flatten(1)
        inter = (pred * mask).sum(1)
        return (1 - (2 * inter + self.smooth) / (pred.sum(1) + mask.sum(1) + self.smooth)).mean()


@torch.no_grad()
def iou(model, loader):
    model.eval()
    i = u = 0.0
    for x, m in loader:
        p = (model(x).sigmoid() > 0.5).float()
        i += (p * m).sum().item()
        u += ((p + m) > 0).float().sum().item()
    model.train()
    return i / u


train, val = DataLoader(Lesions(240), 16, shuffle=True), DataLoader(Lesions(64), 32)
model, criterion = UNet(), SoftDice()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(10):
    losses = []
    for x, m in train:
        loss = criterion(model(x), m)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    print(f"epoch {epoch:2d} dice loss {sum(losses) / len(losses):12.3f} last {losses[-1]:.2f} val iou {iou(model, val):.3f}")
