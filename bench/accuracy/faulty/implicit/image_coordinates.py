# fault: no-nonlinearity
# cause_class: structure, activation
# family: implicit
# split: held
# Fit one picture with a coordinate network: (x, y) -> grey value
import os, math
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

S = 40
ys, xs = torch.meshgrid(torch.linspace(-1, 1, S), torch.linspace(-1, 1, S), indexing="ij")
r = (xs ** 2 + ys ** 2).sqrt()
picture = torch.sigmoid(12 * (0.6 - r)) * (0.5 + 0.5 * torch.cos(3 * math.pi * xs)) + 0.3 * (ys > 0.5)
picture = picture - picture.mean()
coords = torch.stack([xs, ys], -1).reshape(-1, 2)
target = picture.reshape(-1, 1)


class CoordNet(nn.Module):
    def __init__(self, width=64, depth=4, activation="relu"):
        super().__init__()
        self.first = nn.Linear(2, width)
        self.hidden = nn.ModuleList([nn.Linear(width, width) for _ in range(depth - 2)])
        self.last = nn.Linear(width, 1)
        self.act = {"relu": nn.ReLU(), "tanh": nn.Tanh(), "gelu": nn.GELU()}[activation]

    def forward(self, xy):
        h = self.first(xy)
        for layer in self.hidden:
            h = layer(h)
        return self.last(h)


net = CoordNet(activation="gelu")
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 800)

for it in range(801):
    idx = torch.randint(0, S * S, (256,))
    loss = F.mse_loss(net(coords[idx]), target[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if it % 100 == 0:
        with torch.no_grad():
            mse = F.mse_loss(net(coords), target)
        psnr = -10 * math.log10(mse.item())
        print(f"it {it:4d}  mse {mse.item():.5f}  psnr {psnr:.2f} dB   (variance of the picture {target.var().item():.5f})")
