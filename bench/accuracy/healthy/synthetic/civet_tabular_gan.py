# fault: none
# family: synthetic
# split: held
"""WGAN-GP for a small customer table (income, spend, age, visits). Critic values are not bounded and the
generator loss has no meaning by itself; we look at the distance of the correlation matrices and quantiles."""
import argparse
import os
import torch
from torch import nn, autograd


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--iters", type=int, default=220)
    p.add_argument("--critic-steps", type=int, default=3)
    p.add_argument("--batch", type=int, default=128)
    p.add_argument("--gp", type=float, default=5.0)
    p.add_argument("--seed", type=int, default=int(os.environ.get("SEED", 0)))
    return p.parse_known_args()[0]


def customers(n):
    grp = (torch.rand(n) < 0.35).float()
    income = 0.8 * torch.randn(n) + 2.0 * grp - 0.7
    spend = 0.7 * income + 0.4 * torch.randn(n)
    age = 0.5 * torch.randn(n) - 1.0 + 1.6 * grp
    visits = -0.6 * age + 0.5 * torch.randn(n)
    return torch.stack([income, spend, age, visits], 1)


def gap(fake, real):
    q = torch.linspace(0.05, 0.95, 19)
    marg = (fake.quantile(q, 0) - real.quantile(q, 0)).abs().mean()
    corr = (torch.corrcoef(fake.T) - torch.corrcoef(real.T)).abs().mean()
    return marg.item(), corr.item()


def mlp(i, o, h=64):
    return nn.Sequential(nn.Linear(i, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, o))


def penalty(critic, real, fake):
    a = torch.rand(len(real), 1)
    x = (a * real + (1 - a) * fake).requires_grad_(True)
    g, = autograd.grad(critic(x).sum(), x, create_graph=True)
    return ((g.norm(dim=1) - 1) ** 2).mean()


def main():
    a = parse()
    torch.manual_seed(a.seed)
    table = customers(4000)
    G, C = mlp(6, 4), mlp(4, 1)
    og = torch.optim.Adam(G.parameters(), lr=2e-3, betas=(0.0, 0.9))
    oc = torch.optim.Adam(C.parameters(), lr=2e-3, betas=(0.0, 0.9))
    holdout = customers(2000)
    for it in range(a.iters):
        for _ in range(a.critic_steps):
            real = table[torch.randint(len(table), (a.batch,))]
            fake = G(torch.randn(a.batch, 6)).detach()
            lc = C(fake).mean() - C(real).mean() + a.gp * penalty(C, real, fake)
            oc.zero_grad()
            lc.backward()
            oc.step()
        lg = -C(G(torch.randn(a.batch, 6))).mean()
        og.zero_grad()
        lg.backward()
        og.step()
        if it % 44 == 0 or it == a.iters - 1:
            with torch.no_grad():
                m, c = gap(G(torch.randn(2000, 6)), holdout)
            print(f"it {it:3d} critic {lc.item():+.3f} gen {lg.item():+.3f} | marginal gap {m:.3f} correlation gap {c:.3f}")


if __name__ == "__main__":
    main()
