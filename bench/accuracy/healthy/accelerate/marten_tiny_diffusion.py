# fault: none
# family: accelerate
# split: held
# needs: accelerate
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
T = 40
beta = torch.linspace(1e-3, 0.2, T)
alpha_bar = torch.cumprod(1 - beta, 0)


def swiss_roll(n):
    a = 1.5 * math.pi * (1 + 2 * torch.rand(n))
    return torch.stack([a * a.cos(), a * a.sin()], 1) / 6.5 + 0.02 * torch.randn(n, 2)


class Eps(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.register_buffer("freq", 2.0 ** torch.arange(5) * math.pi / 2)
        self.net = nn.Sequential(nn.Linear(2 + 10, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 2))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x, t):
        angle = (t.float() / T)[:, None] * self.freq
        return self.net(torch.cat([x, angle.sin(), angle.cos()], 1))


@torch.no_grad()
def sample(model, n=300):
    x = torch.randn(n, 2)
    for k in reversed(range(T)):
        e = model(x, torch.full((n,), k))
        x = (x - beta[k] / (1 - alpha_bar[k]).sqrt() * e) / (1 - beta[k]).sqrt()
        if k:
            x = x + beta[k].sqrt() * torch.randn_like(x)
    return x


accelerator = Accelerator(cpu=True)
net = Eps()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
loader = DataLoader(TensorDataset(swiss_roll(4000)), batch_size=100, shuffle=True)
net, opt, loader = accelerator.prepare(net, opt, loader)
ema = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.99))
reference = swiss_roll(400)
for epoch in range(16):
    total = 0.0
    for (x,) in loader:
        t = torch.randint(0, T, (len(x),))
        noise = torch.randn_like(x)
        a = alpha_bar[t][:, None]
        loss = F.mse_loss(net(a.sqrt() * x + (1 - a).sqrt() * noise, t), noise)
        opt.zero_grad()
        accelerator.backward(loss)
        opt.step()
        ema.update_parameters(net)
        total += loss.item() / len(loader)
    if epoch % 3 == 0:
        gap = torch.cdist(sample(ema), reference).min(1).values.mean().item()
        accelerator.print(f"epoch {epoch:2d} loss {total:.4f} samples lie {gap:.3f} from the roll")
