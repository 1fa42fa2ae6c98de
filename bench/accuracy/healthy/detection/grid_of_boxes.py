# fault: none
# family: detection
# split: tune
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
SIZE, CELLS = 16, 4


def scenes(n):
    image = 0.1 * torch.randn(n, 1, SIZE, SIZE)
    centre, extent = torch.randint(3, SIZE - 3, (n, 2)), torch.randint(1, 4, (n, 2))
    kind = torch.randint(0, 2, (n,))
    for i in range(n):
        (y, x), (h, w) = centre[i].tolist(), extent[i].tolist()
        image[i, 0, y - h : y + h + 1, x - w : x + w + 1] += 1.0 if kind[i] == 0 else -1.0
    return image, centre, extent, kind


def grid(centre, extent, kind):
    n = len(centre)
    target = torch.zeros(n, CELLS, CELLS, 6)
    cell = centre * CELLS // SIZE
    at = (torch.arange(n), cell[:, 0], cell[:, 1])
    target[at + (0,)] = 1.0
    target[..., 1:3][at] = (centre % (SIZE // CELLS)).float() / (SIZE // CELLS)
    target[..., 3:5][at] = torch.log(extent.float())
    target[at + (5,)] = kind.float()
    return target


class Yolo(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.LeakyReLU(0.1),
            nn.Conv2d(16, 32, 3, 2, 1), nn.BatchNorm2d(32), nn.LeakyReLU(0.1),
            nn.Conv2d(32, 7, 1),
        )

    def forward(self, x):
        return self.features(x).permute(0, 2, 3, 1)


class YoloLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.mse, self.bce, self.entropy = nn.MSELoss(), nn.BCEWithLogitsLoss(), nn.CrossEntropyLoss()

    def forward(self, p, target):
        obj, noobj = target[..., 0] == 1, target[..., 0] == 0
        nothing = self.bce(p[..., 0:1][noobj], target[..., 0:1][noobj])
        something = self.bce(p[..., 0:1][obj], target[..., 0:1][obj])
        box = self.mse(torch.cat([p[..., 1:3].sigmoid(), p[..., 3:5]], -1)[obj], target[..., 1:5][obj])
        kind = self.entropy(p[..., 5:][obj], target[..., 5][obj].long())
        return 10 * box + something + 10 * nothing + kind


model, criterion = Yolo(), YoloLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4)
for step in range(300):
    image, *boxes = scenes(16)
    loss = criterion(model(image), grid(*boxes))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(step, round(loss.item(), 3))
