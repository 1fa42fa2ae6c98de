# fault: none
# family: vision
# split: tune
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
features = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU())
content, style = torch.rand(1, 3, 24, 24), torch.rand(1, 3, 24, 24).pow(2)


def gram(f):
    f = f.flatten(2)
    return f @ f.transpose(1, 2) / f.shape[-1]


with torch.no_grad():
    wanted, look = features(content), gram(features(style))
image = content.clone().requires_grad_(True)
optimizer = torch.optim.Adam([image], lr=0.02)
for i in range(200):
    optimizer.zero_grad()
    f = features(image)
    loss = F.mse_loss(f, wanted) + 100 * F.mse_loss(gram(f), look)
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        image.clamp_(0, 1)
    if i % 50 == 0:
        print(i, loss.item())
