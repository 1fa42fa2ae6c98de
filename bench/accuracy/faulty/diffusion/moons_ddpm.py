# fault: labels-shuffled
# cause_class: labels, loss, data-loading
# family: diffusion
# split: tune
"""DDPM on two moons, noise prediction."""
import math
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
T = 50
betas = torch.linspace(1e-3, 0.15, T)
alphas_bar = torch.cumprod(1 - betas, 0)


def moons(n):
    a = torch.rand(n) * math.pi
    flip = torch.randint(0, 2, (n,)).float()
    x = torch.stack([a.cos() * (1 - 2 * flip) + flip - 0.5, a.sin() * (1 - 2 * flip) + 0.5 * flip - 0.25], 1)
    return x / 0.7 + 0.05 * torch.randn(n, 2)


class Diffusion:
    def __init__(self, net):
        self.net = net

    def q_sample(self, x0, t):
        ab = alphas_bar[t][:, None]
        noise = torch.randn_like(x0)
        return ab.sqrt() * x0 + (1 - ab).sqrt() * noise

    def loss(self, x0):
        t = torch.randint(0, T, (len(x0),))
        noise = torch.randn_like(x0)
        x_t = self.q_sample(x0, t)
        return nn.functional.mse_loss(self.net(x_t, t), noise)


class Denoiser(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.time = nn.Embedding(T, 16)
        self.net = nn.Sequential(nn.Linear(18, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(),
                                 nn.Linear(width, 2))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.time(t)], 1))


net = Denoiser()
process = Diffusion(net)
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
avg = None
for step in range(1, 801):
    loss = process.loss(moons(128))
    opt.zero_grad()
    loss.backward()
    opt.step()
    avg = loss.item() if avg is None else 0.98 * avg + 0.02 * loss.item()
    if step % 100 == 0:
        print(f"step {step} loss {avg:.4f}")
