# fault: no-gradient
# cause_class: loss, regularisation, not-updated, structure
# family: generative
# split: tune
# WGAN-GP on a 2-d spiral (Gulrajani et al. 2017)
import argparse
import os
import torch
import torch.nn as nn

ap = argparse.ArgumentParser()
ap.add_argument("--z", type=int, default=4)
ap.add_argument("--lr", type=float, default=5e-4)
ap.add_argument("--lambda_gp", type=float, default=10.0)
ap.add_argument("--n_critic", type=int, default=3)
ap.add_argument("--iters", type=int, default=400)
opt = ap.parse_args([])
torch.manual_seed(int(os.environ.get("SEED", "0")))


def spiral(n):
    r = torch.rand(n, 1).sqrt()
    a = 9 * r
    return torch.cat([r * a.cos(), r * a.sin()], 1) * 1.5 + 0.03 * torch.randn(n, 2)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(opt.z, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))

    def forward(self, z):
        return self.model(z)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))

    def forward(self, x):
        return self.model(x)


def compute_gradient_penalty(C, real, fake):
    alpha = torch.rand(real.size(0), 1)
    inter = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    out = C(inter)
    grads = torch.autograd.grad(outputs=out, inputs=inter, grad_outputs=torch.ones_like(out))[0]
    return ((grads.norm(2, dim=1) - 1) ** 2).mean()


G, C = Generator(), Critic()
optimizer_G = torch.optim.Adam(G.parameters(), lr=opt.lr, betas=(0.0, 0.9))
optimizer_C = torch.optim.Adam(C.parameters(), lr=opt.lr, betas=(0.0, 0.9))

for it in range(opt.iters):
    for _ in range(opt.n_critic):
        real = spiral(128)
        fake = G(torch.randn(128, opt.z)).detach()
        gp = compute_gradient_penalty(C, real, fake)
        w = C(real).mean() - C(fake).mean()
        loss_C = -w + opt.lambda_gp * gp
        optimizer_C.zero_grad()
        loss_C.backward()
        optimizer_C.step()

    loss_G = -C(G(torch.randn(128, opt.z))).mean()
    optimizer_G.zero_grad()
    loss_G.backward()
    optimizer_G.step()
    if it % 40 == 0:
        with torch.no_grad():
            d = torch.cdist(G(torch.randn(400, opt.z)), spiral(2000)).min(1).values.mean().item()
        print(f"{it:4d} critic {loss_C.item():12.3f} wasserstein {w.item():10.3f} gp {gp.item():12.3f} distance to spiral {d:.3f}")
