# fault: identical-batches
# cause_class: data-loading, overfit
# family: superres
# split: held
"""x2 super-resolution of procedurally drawn textures, logged by steps instead of epochs."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)


class Textures(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        yy, xx = torch.meshgrid(torch.linspace(0, 1, 16), torch.linspace(0, 1, 16), indexing="ij")
        ang = torch.rand(n, 1, 1, generator=g) * 3.14
        freq = 6 + 18 * torch.rand(n, 1, 1, generator=g)
        ph = 6.28 * torch.rand(n, 1, 1, generator=g)
        wave = torch.sin(freq * (torch.cos(ang) * xx + torch.sin(ang) * yy) + ph)
        edge = ((xx - torch.rand(n, 1, 1, generator=g)) > 0).float()
        self.hr = (0.6 * wave + 0.8 * edge - 0.4)[:, None]
        self.lr = F.avg_pool2d(self.hr, 2)

    def __len__(self):
        return len(self.hr)

    def __getitem__(self, i):
        return self.lr[i], self.hr[i]


class EDSRLite(nn.Module):
    def __init__(self, c=24):
        super().__init__()
        self.head = nn.Conv2d(1, c, 3, padding=1)
        self.body = nn.ModuleList(nn.Sequential(nn.Conv2d(c, c, 3, padding=1), nn.ReLU(), nn.Conv2d(c, c, 3, padding=1)) for _ in range(2))
        self.tail = nn.Sequential(nn.Conv2d(c, 4, 3, padding=1), nn.PixelShuffle(2))

    def forward(self, x):
        h = self.head(x)
        for b in self.body:
            h = h + b(h)
        return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False) + self.tail(h)


def psnr(model, loader):
    model.eval()
    with torch.no_grad():
        mse = sum(F.mse_loss(model(a), b).item() for a, b in loader) / len(loader)
    model.train()
    return -10 * torch.log10(torch.tensor(mse / 4)).item(), mse


train = DataLoader(Textures(1200, seed), batch_size=12, shuffle=True, generator=torch.Generator())
valid = DataLoader(Textures(120, seed + 1), batch_size=60)
net = EDSRLite()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(1, 701):
    train.generator.manual_seed(seed)
    low, high = next(iter(train))
    loss = F.l1_loss(net(low), high)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        db, mse = psnr(net, valid)
        print(f"step {step} l1 {loss.item():.4f} valid mse {mse:.4f} psnr {db:.2f}")
