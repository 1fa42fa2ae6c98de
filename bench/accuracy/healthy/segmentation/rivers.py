# fault: none
# family: segmentation
# split: tune
# find the bright river in a noisy 24x24 tile
import os
import torch
from torch import nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", 0))
gen = torch.Generator().manual_seed(SEED)
torch.manual_seed(SEED)

N, S = 500, 24
rows = torch.arange(S).view(1, S, 1).float()
cols = torch.arange(S).view(1, 1, S).float()
mid = 6 + 12 * torch.rand(N, 1, 1, generator=gen)
amp = 4 * torch.rand(N, 1, 1, generator=gen)
phase = 6.28 * torch.rand(N, 1, 1, generator=gen)
center = mid + amp * torch.sin(cols / 4 + phase)
masks = ((rows - center).abs() < 2.5).float()
tiles = masks * 1.2 + 0.5 * torch.randn(N, S, S, generator=gen) - 0.25

# mix before splitting
order = torch.randperm(N, generator=gen)
tiles = tiles[order].unsqueeze(1)
masks = masks[order].unsqueeze(1)

net = nn.Sequential(
    nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(),
    nn.Conv2d(12, 12, 3, padding=1), nn.ReLU(),
    nn.Conv2d(12, 1, 1))
opt = torch.optim.Adam(net.parameters(), 3e-3)


def iou(logits, m):
    p = logits > 0
    m = m > 0.5
    return ((p & m).sum() / (p | m).sum().clamp(min=1)).item()


for epoch in range(14):
    net.train()
    for k in torch.randperm(400).split(20):
        loss = F.binary_cross_entropy_with_logits(net(tiles[k]), masks[k])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        out = net(tiles[400:])
        print(f"epoch {epoch} last train loss {loss.item():.4f} val loss {F.binary_cross_entropy_with_logits(out, masks[400:]).item():.4f} val iou {iou(out, masks[400:]):.3f}")
