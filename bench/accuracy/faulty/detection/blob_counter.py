# fault: constant-output
# cause_class: structure, data-loading
# family: detection
# split: tune
"""Box of the single object in an image: (cx, cy, w, h), all relative."""
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)
SIZE = 24


def render(n):
    c = 0.25 + 0.5 * torch.rand(n, 2)
    wh = 0.15 + 0.3 * torch.rand(n, 2)
    grid = (torch.arange(SIZE) + 0.5) / SIZE
    in_x = ((grid[None] - c[:, :1]).abs() < wh[:, :1] / 2)
    in_y = ((grid[None] - c[:, 1:]).abs() < wh[:, 1:] / 2)
    img = (in_y[:, :, None] & in_x[:, None, :]).float()
    img = img + 0.2 * torch.randn_like(img)
    return TensorDataset(img[:, None], torch.cat([c, wh], 1))


class Backbone(nn.Module):
    def __init__(self, c=12):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, c, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(c, 2 * c, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(2 * c, 2 * c, 3, stride=2, padding=1), nn.ReLU())

    def forward(self, x):
        return self.conv(x).permute(2, 3, 0, 1)     # y, x, sample, channel


class BoxHead(nn.Module):
    def __init__(self, channels, hidden=64):
        super().__init__()
        self.mix = nn.Linear(channels * 9, hidden)
        self.box = nn.Linear(hidden, 4)

    def forward(self, fmap):
        h, w, n, c = fmap.shape
        tokens = fmap.reshape(h * w, n, c)
        context = tokens.mean(dim=1)                # average over the grid
        hidden = F.relu(self.mix(context.reshape(1, -1)))
        return torch.sigmoid(self.box(hidden)).expand(n, 4)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.head = BoxHead(24)

    def forward(self, images):
        return self.head(self.backbone(images))


def iou(a, b):
    lo = torch.maximum(a[:, :2] - a[:, 2:] / 2, b[:, :2] - b[:, 2:] / 2)
    hi = torch.minimum(a[:, :2] + a[:, 2:] / 2, b[:, :2] + b[:, 2:] / 2)
    inter = (hi - lo).clamp(min=0).prod(1)
    return inter / (a[:, 2:].prod(1) + b[:, 2:].prod(1) - inter)


train, valid = render(1600), render(300)
model = Detector()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for epoch in range(6):
    model.train()
    losses = []
    for images, boxes in DataLoader(train, batch_size=32, shuffle=True):
        loss = F.smooth_l1_loss(model(images), boxes, beta=0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        score = iou(model(valid.tensors[0]), valid.tensors[1]).mean()
    print(f"epoch {epoch} loss {sum(losses) / len(losses):.4f} valid IoU {score:.3f}")
