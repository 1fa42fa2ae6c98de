"""Restores old photographs (denoising). Four small batches make one update, as a large one would not fit a small machine."""
import argparse
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

ap = argparse.ArgumentParser()
ap.add_argument("--updates", type=int, default=14)
ap.add_argument("--micro-batch", type=int, default=16)
ap.add_argument("--accumulate", type=int, default=4)
ap.add_argument("--lr", type=float, default=1e-3)
opt = ap.parse_args()


def photographs(n, size=64):
    coarse = torch.randn(n, 1, 5, 5)
    clean = F.interpolate(coarse, size=size, mode="bicubic", align_corners=True)
    edges = (F.interpolate(torch.randn(n, 1, 4, 4), size=size, mode="bicubic", align_corners=True) > 0.3).float()
    return (0.5 * clean + 0.6 * edges).clamp(-1.5, 1.5)


class DnCNN(nn.Module):
    def __init__(self, width=40, depth=6):
        super().__init__()
        layers = [nn.Conv2d(1, width, 3, padding=1), nn.ReLU()]
        for _ in range(depth - 2):
            layers += [nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
        layers.append(nn.Conv2d(width, 1, 3, padding=1))
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return x - self.net(x)


torch.manual_seed(40)
clean = photographs(1500)
model = DnCNN()
optimizer = torch.optim.Adam(model.parameters(), lr=opt.lr)
t0 = time.time()
for update in range(1, opt.updates + 1):
    optimizer.zero_grad()
    total = 0.0
    for _ in range(opt.accumulate):
        target = clean[torch.randint(len(clean), (opt.micro_batch,))]
        noisy = target + 0.25 * torch.randn_like(target)
        loss = F.mse_loss(model(noisy), target) / opt.accumulate
        loss.backward()
        total += loss.item()
    optimizer.step()
    if update % 2 == 0:
        print(f"update {update}: mse {total:.5f} ({time.time() - t0:.1f} s)")
