# fault: none
# family: segmentation
# split: held
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


def welds(n, size=20):
    """Seams (class 1) with pores (class 2) on sheet metal (class 0)."""
    col = torch.arange(size).float()
    centre = 6 + 8 * torch.rand(n, 1) + 2 * torch.sin(col / 4 + 6 * torch.rand(n, 1))
    rows = torch.arange(size).float()[None, :, None]
    y = ((rows - centre[:, None]).abs() < 3).long()
    pore = (torch.rand(n, size, size) < 0.03).float()
    pore = F.max_pool2d(pore[:, None], 2, 1, 1)[:, 0, :size, :size]
    y = torch.where((y == 1) & (pore > 0), 2, y)
    level = torch.tensor([-0.6, 0.6, -1.4])[y]
    return (level + 0.35 * torch.randn(n, size, size))[:, None], y


class Hourglass(nn.Module):
    def __init__(self, w=12):
        super().__init__()
        self.a = nn.Sequential(nn.Conv2d(1, w, 3, padding=1), nn.GroupNorm(4, w), nn.ReLU())
        self.b = nn.Sequential(nn.Conv2d(w, 2 * w, 3, 2, 1), nn.GroupNorm(4, 2 * w), nn.ReLU())
        self.c = nn.ConvTranspose2d(2 * w, w, 2, 2)
        self.d = nn.Sequential(nn.Conv2d(2 * w, w, 3, padding=1), nn.ReLU(), nn.Conv2d(w, 3, 1))

    def forward(self, x):
        a = self.a(x)
        return self.d(torch.cat([a, self.c(self.b(a))], 1))


def dice(logits, y):
    p, t = logits.softmax(1), F.one_hot(y, 3).permute(0, 3, 1, 2).float()
    inter = (p * t).sum((0, 2, 3))
    return 1 - (2 * inter / (p.sum((0, 2, 3)) + t.sum((0, 2, 3)) + 1e-6)).mean()


loader = DataLoader(TensorDataset(*welds(320)), 16, shuffle=True)
vx, vy = welds(80)
model = Hourglass()
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 10 * len(loader))
for epoch in range(10):
    model.train()
    ce_sum = dice_sum = 0.0
    for x, y in loader:
        out = model(x)
        ce, dc = F.cross_entropy(out, y), dice(out, y)
        opt.zero_grad()
        (ce + dc).backward()
        opt.step()
        sched.step()
        ce_sum, dice_sum = ce_sum + ce.item() / len(loader), dice_sum + dc.item() / len(loader)
    model.eval()
    with torch.no_grad():
        out = model(vx)
        pred = out.argmax(1)
        iou = [((pred == k) & (vy == k)).sum() / ((pred == k) | (vy == k)).sum() for k in range(3)]
    print(f"epoch {epoch} ce {ce_sum:.4f} dice {dice_sum:.4f} val ce {F.cross_entropy(out, vy).item():.4f} iou",
          [round(float(v), 3) for v in iou])
