# fault: none
# family: generative
# split: held
# set: badger, unseen
# metric: sliced_w1 lower
# baseline: 0.26
# reaches: 0.13
# Unusual: two optimisers in turn, Adam without momentum (beta1=0); the two losses hover near log 2 and 2 log 2 and never fall, which is the balance one wants.
import argparse
import copy
import math
import os

import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)
p = argparse.ArgumentParser()
p.add_argument("--steps", type=int, default=900)
p.add_argument("--batch", type=int, default=256)
p.add_argument("--r1", type=float, default=0.2)
p.add_argument("--lr", type=float, default=2e-3)
args = p.parse_args()
SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)


def ring(n):
    a = torch.randint(8, (n,)) * (2 * math.pi / 8)
    return torch.stack([a.cos(), a.sin()], 1) * 1.5 + 0.1 * torch.randn(n, 2)


def mlp(i, o, h=96):
    return nn.Sequential(nn.Linear(i, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, o))


@torch.no_grad()
def sliced_w1(a, b):
    th = torch.linspace(0, math.pi, 33)[:-1]
    d = torch.stack([th.cos(), th.sin()])
    return ((a @ d).sort(0).values - (b @ d).sort(0).values).abs().mean().item()


G, D = mlp(8, 2), mlp(2, 1)
ema = copy.deepcopy(G).requires_grad_(False)
opt_g = torch.optim.Adam(G.parameters(), lr=args.lr, betas=(0.0, 0.99))
opt_d = torch.optim.Adam(D.parameters(), lr=args.lr, betas=(0.0, 0.99))
held = ring(4000)

for step in range(1, args.steps + 1):
    real = ring(args.batch).requires_grad_(True)
    fake = G(torch.randn(args.batch, 8))
    dr, df = D(real), D(fake.detach())
    (grad,) = torch.autograd.grad(dr.sum(), real, create_graph=True)
    loss_d = F.softplus(-dr).mean() + F.softplus(df).mean()
    opt_d.zero_grad()
    (loss_d + 0.5 * args.r1 * grad.square().sum(1).mean()).backward()
    opt_d.step()

    loss_g = F.softplus(-D(G(torch.randn(args.batch, 8)))).mean()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    with torch.no_grad():
        for e, q in zip(ema.parameters(), G.parameters()):
            e.lerp_(q, 0.02)
    if step % 100 == 0:
        d = sliced_w1(ema(torch.randn(4000, 8)), held)
        print(f"step {step} d {loss_d.item():.3f} g {loss_g.item():.3f} sliced w1 {d:.3f}")

gauss = torch.randn(4000, 2) * held.std(0) + held.mean(0)
print("moment-matched Gaussian:", round(sliced_w1(gauss, held), 4), "| two real samples:", round(sliced_w1(ring(4000), held), 4))
print(f"result: sliced_w1 {sliced_w1(ema(torch.randn(4000, 8)), held):.4f}")
