# fault: none
# family: detection
# split: held
"""One-stage detector: focal loss over mostly empty cells, box loss only where there is an object; about
half of the images are empty."""
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
        self.img = 0.3 * torch.randn(n, 1, SIZE, SIZE)
        self.obj = torch.zeros(n, GRID, GRID)
        self.box = torch.zeros(n, 4, GRID, GRID)
        for i in range(n):
            for _ in range(int(torch.randint(0, 5, (1,))) if torch.rand(()) < 0.6 else 0):
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
    def __init__(self, c=16, prior=0.08):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, c, 3, padding=1), nn.ReLU(), nn.Conv2d(c, c, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(c, 2 * c, 3, stride=3, padding=1), nn.ReLU())
        self.neck = nn.Sequential(nn.Conv2d(2 * c, 2 * c, 1), nn.ReLU())
        self.obj_head = nn.Conv2d(2 * c, 1, 1)
        self.box_head = nn.Sequential(nn.Conv2d(2 * c, 2 * c, 1), nn.ReLU(), nn.Conv2d(2 * c, 4, 1))
        nn.init.constant_(self.obj_head.bias, torch.tensor(prior / (1 - prior)).log().item())

    def forward(self, x):
        f = self.neck(self.backbone(x))
        return self.obj_head(f).squeeze(1), torch.sigmoid(self.box_head(f))


def focal(logits, y, alpha=0.75, gamma=2.0):
    ce = F.binary_cross_entropy_with_logits(logits, y, reduction="none")
    pt = torch.exp(-ce)
    weight = torch.where(y > 0.5, alpha, 1 - alpha)
    return (weight * (1 - pt) ** gamma * ce).sum() / y.sum().clamp(min=1)


def losses(model, img, obj, box):
    o, b = model(img)
    where = obj.unsqueeze(1)
    return focal(o, obj), (where * (b - box).abs()).sum() / (4 * obj.sum()).clamp(min=1)


train = DataLoader(Scenes(1600), 32, shuffle=True)
held = Scenes(300)
model = OneStage()
slow = list(model.backbone.parameters())
fast = [p for n, p in model.named_parameters() if not n.startswith("backbone")]
optimizer = torch.optim.AdamW([{"params": slow, "lr": 2e-3}, {"params": fast, "lr": 4e-3}], weight_decay=1e-4)
for epoch in range(5):
    model.train()
    tot = torch.zeros(2)
    for batch in train:
        lo, lb = losses(model, *batch)
        optimizer.zero_grad()
        (lo + 4 * lb).backward()
        optimizer.step()
        tot += torch.stack([lo, lb]).detach() / len(train)
    model.eval()
    with torch.no_grad():
        o, _ = model(held.img)
        vo, vb = losses(model, held.img, held.obj, held.box)
        found = ((o > 0) & (held.obj > 0)).sum() / held.obj.sum()
        false = ((o > 0) & (held.obj == 0)).sum().item()
    print(f"epoch {epoch} obj {tot[0]:.4f} box {tot[1]:.4f} | valid obj {vo:.4f} box {vb:.4f} recall {found:.3f} false alarms {false}")
