# fault: labels-outside-range
# cause_class: labels, loss, data-scaling
# family: segmentation
# split: tune
"""Segment bright blobs; masks are stored as signed maps, foreground +1 and background -1."""
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Blobs(Dataset):
    def __init__(self, n, size=20):
        yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        cx, cy = torch.randint(4, size - 4, (2, n))
        r = torch.randint(3, 6, (n,))
        inside = ((xx - cx[:, None, None]) ** 2 + (yy - cy[:, None, None]) ** 2) <= (r ** 2)[:, None, None]
        self.images = (inside.float() * 1.2 + 0.5 * torch.randn(n, size, size))[:, None]
        self.masks = (inside.float() * 2 - 1)[:, None]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i], self.masks[i]


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())


class TinyUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = block(1, 8)
        self.mid = nn.Sequential(nn.MaxPool2d(2), block(8, 16), nn.Upsample(scale_factor=2))
        self.up = block(24, 8)
        self.out = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        d = self.down(x)
        return self.out(self.up(torch.cat([d, self.mid(d)], 1)))


def iou(logits, mask):
    p, m = logits > 0, mask > 0
    return ((p & m).sum() / (p | m).sum().clamp(min=1)).item()


train, val = Blobs(400), Blobs(80)
loader = DataLoader(train, batch_size=16, shuffle=True)
model = TinyUNet()
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(6):
    model.train()
    tot = 0
    for x, m in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), m)
        loss.backward()
        optimizer.step()
        tot += loss.item()
    model.eval()
    with torch.no_grad():
        print(epoch, "loss", round(tot / len(loader), 3), "val IoU", round(iou(model(val.images), val.masks), 3))
