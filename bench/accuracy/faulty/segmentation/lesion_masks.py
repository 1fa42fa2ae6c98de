# fault: labels-outside-range
# cause_class: labels, data-scaling, loss
# family: segmentation
# split: held
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)


class LesionSet(Dataset):
    """grey images and masks as the annotation tool exports them (8 bit PNG)"""

    def __init__(self, n, size=24, seed=0):
        g = torch.Generator().manual_seed(seed)
        yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        self.images, self.masks = [], []
        for _ in range(n):
            cx, cy = torch.randint(6, size - 6, (2,), generator=g)
            r = torch.randint(3, 6, (1,), generator=g)
            disk = ((xx - cx) ** 2 + (yy - cy) ** 2 <= r ** 2)
            img = 90 + 70 * disk + 25 * torch.randn(size, size, generator=g)
            self.images.append(img.clamp(0, 255).to(torch.uint8))
            self.masks.append((disk * 255).to(torch.uint8))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = self.images[i].float().div(255).sub(0.4).div(0.15)[None]
        mask = self.masks[i].float()[None]
        return image, mask


class MiniUNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.enc1 = self.block(1, c)
        self.enc2 = self.block(c, 2 * c)
        self.dec = self.block(3 * c, c)
        self.out = nn.Conv2d(c, 1, 1)

    @staticmethod
    def block(i, o):
        return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True))

    def forward(self, x):
        a = self.enc1(x)
        b = self.enc2(F.max_pool2d(a, 2))
        b = F.interpolate(b, scale_factor=2, mode="nearest")
        return self.out(self.dec(torch.cat([a, b], 1)))


class Callback:
    def on_epoch_end(self, trainer, logs):
        pass


class PrintLogs(Callback):
    def on_epoch_end(self, trainer, logs):
        print(" ".join(f"{k}={v:.4f}" for k, v in logs.items()))


class Trainer:
    def __init__(self, model, optimizer, criterion, callbacks):
        self.model, self.optimizer, self.criterion, self.callbacks = model, optimizer, criterion, callbacks

    def fit(self, train, valid, epochs):
        for epoch in range(epochs):
            self.model.train()
            run = 0.0
            for x, m in train:
                loss = self.criterion(self.model(x), m)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                run += loss.item() / len(train)
            logs = {"epoch": epoch, "loss": run, "iou": self.iou(valid)}
            for cb in self.callbacks:
                cb.on_epoch_end(self, logs)

    @torch.no_grad()
    def iou(self, loader):
        self.model.eval()
        inter = union = 0
        for x, m in loader:
            p, t = self.model(x) > 0, m > 0
            inter += (p & t).sum().item()
            union += (p | t).sum().item()
        return inter / max(union, 1)


net = MiniUNet()
trainer = Trainer(net, torch.optim.Adam(net.parameters(), lr=2e-3), nn.BCEWithLogitsLoss(), [PrintLogs()])
trainer.fit(DataLoader(LesionSet(400, seed=seed + 1), 16, shuffle=True), DataLoader(LesionSet(80, seed=seed + 2), 40), 4)
