# fault: none
# family: regression
# split: tune
"""A sine network memorises one picture: the same full batch of coordinates in each step, on purpose."""
import math
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
S = 32
axis = torch.linspace(-1, 1, S)
yy, xx = torch.meshgrid(axis, axis, indexing="ij")
coords = torch.stack([yy, xx], -1).reshape(-1, 2)
picture = (torch.sin(9 * xx) * torch.cos(7 * yy) + (xx ** 2 + yy ** 2 < 0.4).float()).reshape(-1, 1)
picture = (picture - picture.mean()) / picture.std()


class Sine(nn.Module):
    def __init__(self, i, o, w0=15.0, first=False):
        super().__init__()
        self.lin, self.w0 = nn.Linear(i, o), w0
        bound = 1 / i if first else math.sqrt(6 / i) / w0
        nn.init.uniform_(self.lin.weight, -bound, bound)

    def forward(self, x):
        return torch.sin(self.w0 * self.lin(x))


siren = nn.Sequential(Sine(2, 48, first=True), Sine(48, 48), nn.Linear(48, 1))
opt = torch.optim.Adam(siren.parameters(), lr=1e-3)
for it in range(501):
    loss = (siren(coords) - picture).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 60 == 0:
        print(f"iteration {it} mse {loss.item():.5f} psnr {10 * math.log10(picture.max().item() ** 2 / loss.item()):.1f}")
