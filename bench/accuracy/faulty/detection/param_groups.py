# fault: not-in-optimiser
# cause_class: not-updated, optimizer
# family: detection
# split: held
"""Objectness per cell of a coarse grid plus a box per cell, one stage, YOLO style."""
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)
SIZE, GRID = 24, 4
CELL = SIZE // GRID


class Scenes(Dataset):
    def __init__(self, n):
        self.img = 0.25 * torch.randn(n, 1, SIZE, SIZE)
        self.obj = torch.zeros(n, GRID, GRID)
        self.box = torch.zeros(n, 4, GRID, GRID)
        for i in range(n):
            for _ in range(int(torch.randint(1, 4, (1,)))):
                gy, gx = torch.randint(0, GRID, (2,)).tolist()
                if self.obj[i, gy, gx]:
                    continue
                h, w = torch.randint(2, CELL + 1, (2,)).tolist()
                dy, dx = torch.randint(0, CELL - h + 1, (1,)).item(), torch.randint(0, CELL - w + 1, (1,)).item()
                y0, x0 = gy * CELL + dy, gx * CELL + dx
                self.img[i, 0, y0:y0 + h, x0:x0 + w] += 1
                self.obj[i, gy, gx] = 1
                self.box[i, :, gy, gx] = torch.tensor([(dy + h / 2) / CELL, (dx + w / 2) / CELL, h / CELL, w / CELL])

    def __len__(self):
        return len(self.img)

    def __getitem__(self, i):
        return self.img[i], self.obj[i], self.box[i]


class OneStage(nn.Module):
    def __init__(self, c=16):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, c, 3, padding=1), nn.ReLU(), nn.Conv2d(c, c, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(c, 2 * c, 3, stride=3, padding=1), nn.ReLU())
        self.neck = nn.Sequential(nn.Conv2d(2 * c, 2 * c, 1), nn.ReLU())
        self.obj_head = nn.Conv2d(2 * c, 1, 1)
        self.box_head = nn.Sequential(nn.Conv2d(2 * c, 2 * c, 1), nn.ReLU(), nn.Conv2d(2 * c, 4, 1))

    def forward(self, x):
        f = self.neck(self.backbone(x))
        return self.obj_head(f).squeeze(1), torch.sigmoid(self.box_head(f))


def make_optimizer(model, base_lr):
    groups = {"backbone": base_lr * 0.5, "neck": base_lr, "obj_head": base_lr, "reg_head": base_lr}
    params = []
    for prefix, lr in groups.items():
        members = [p for n, p in model.named_parameters() if n.startswith(prefix)]
        if members:
            params.append({"params": members, "lr": lr})
    return torch.optim.AdamW(params, weight_decay=1e-4)


def losses(model, img, obj, box):
    o, b = model(img)
    positive = obj.unsqueeze(1).expand_as(b) > 0
    return F.binary_cross_entropy_with_logits(o, obj), F.l1_loss(b[positive], box[positive])


train = DataLoader(Scenes(1200), 32, shuffle=True)
held = Scenes(200)
model = OneStage()
optimizer = make_optimizer(model, 3e-3)
for epoch in range(6):
    model.train()
    tot = torch.zeros(2)
    for batch in train:
        lo, lb = losses(model, *batch)
        optimizer.zero_grad()
        (lo + 2 * lb).backward()
        optimizer.step()
        tot += torch.stack([lo, lb]).detach() / len(train)
    model.eval()
    with torch.no_grad():
        vo, vb = losses(model, held.img, held.obj, held.box)
    print(f"epoch {epoch} obj {tot[0]:.4f} box {tot[1]:.4f} | valid obj {vo:.4f} box {vb:.4f}")
