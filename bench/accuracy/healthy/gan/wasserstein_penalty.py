# fault: none
# family: gan
# split: tune
import os
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class Hp:
    z: int = 4
    h: int = 64
    critic_steps: int = 3
    lam: float = 0.3
    lr: float = 2e-3
    steps: int = 380
    batch: int = 64


def mlp(i, o, h):
    return nn.Sequential(nn.Linear(i, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, o))


def real(n):
    x = torch.randn(n, 2)
    return torch.stack([x[:, 0], 0.5 * x[:, 0] ** 2 - 0.5 + 0.2 * x[:, 1]], 1)


def gradient_penalty(critic, a, b):
    u = torch.rand(len(a), 1)
    m = (u * a + (1 - u) * b).requires_grad_(True)
    g, = torch.autograd.grad(critic(m).sum(), m, create_graph=True)
    return (g.norm(dim=1) - 1).pow(2).mean()


def main(hp=Hp()):
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    gen, critic = mlp(hp.z, 2, hp.h), mlp(2, 1, hp.h)
    og = torch.optim.Adam(gen.parameters(), lr=hp.lr, betas=(0.0, 0.9))
    oc = torch.optim.Adam(critic.parameters(), lr=hp.lr, betas=(0.0, 0.9))
    sg = torch.optim.lr_scheduler.LinearLR(og, 1.0, 0.1, hp.steps)
    sc = torch.optim.lr_scheduler.LinearLR(oc, 1.0, 0.1, hp.steps)
    for step in range(1, hp.steps + 1):
        for _ in range(hp.critic_steps):
            x, f = real(hp.batch), gen(torch.randn(hp.batch, hp.z)).detach()
            gap = critic(x).mean() - critic(f).mean()
            loss = -gap + hp.lam * gradient_penalty(critic, x, f)
            oc.zero_grad()
            loss.backward()
            oc.step()
        g = -critic(gen(torch.randn(hp.batch, hp.z))).mean()
        og.zero_grad()
        g.backward()
        og.step()
        sg.step()
        sc.step()
        if step % 50 == 0:
            with torch.no_grad():
                s = gen(torch.randn(1000, hp.z))
                off = (s[:, 1] - 0.5 * s[:, 0] ** 2 + 0.5).abs().mean()
            print(f"{step} critic {loss.item():+.3f} gap {gap.item():.3f} gen {g.item():+.3f} off the parabola {off:.3f} spread {s[:, 0].std():.2f}")


main()
