# fault: none
# family: implicit
# split: held
import math
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
S = 32
g = torch.linspace(-1, 1, S)
yy, xx = torch.meshgrid(g, g, indexing="ij")
img = torch.stack([torch.sin(6 * xx) * torch.cos(5 * yy), torch.exp(-4 * (xx ** 2 + yy ** 2)), ((xx + yy) > 0).float()], -1)
img = (img - img.amin((0, 1))) / (img.amax((0, 1)) - img.amin((0, 1)))
xy, rgb = torch.stack([xx, yy], -1).view(-1, 2), img.view(-1, 3)


class FourierNet(nn.Module):
    def __init__(self, m=48, sigma=1.5, h=64):
        super().__init__()
        self.register_buffer("B", sigma * torch.randn(2, m))
        self.mlp = nn.Sequential(nn.Linear(2 * m, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, 3), nn.Sigmoid())

    def forward(self, p):
        a = 2 * math.pi * p @ self.B
        return self.mlp(torch.cat([a.sin(), a.cos()], -1))


net = FourierNet()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for it in range(351):
    loss = F.mse_loss(net(xy), rgb)     # the whole picture every time
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 50 == 0:
        print(f"{it} mse {loss.item():.5f} psnr {-10 * math.log10(loss.item()):.1f}")
