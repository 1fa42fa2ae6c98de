# fault: none
# family: gan
# split: held
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
CENTERS = torch.tensor([[-1.5, 0.0], [1.5, 0.0], [0.0, 1.5]])


def real(n):
    return CENTERS[torch.randint(0, 3, (n,))] + 0.15 * torch.randn(n, 2)


class Net(nn.Sequential):
    def __init__(self, i, o, h=48):
        super().__init__(nn.Linear(i, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, o))


def penalty(critic, a, b):
    mix = torch.rand(len(a), 1)
    x = (mix * a + (1 - mix) * b).detach().requires_grad_()
    g, = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    return ((g.norm(dim=1) - 1) ** 2).mean()


gen, critic = Net(3, 2), Net(2, 1)
g_opt = torch.optim.Adam(gen.parameters(), lr=2e-3, betas=(0.0, 0.9))
c_opt = torch.optim.Adam(critic.parameters(), lr=2e-3, betas=(0.0, 0.9))
for it in range(521):
    for _ in range(3):
        x = real(96)
        with torch.no_grad():
            f = gen(torch.randn(96, 3))
        w = critic(x).mean() - critic(f).mean()
        gp = penalty(critic, x, f)
        c_opt.zero_grad()
        (-w + 5 * gp).backward()
        c_opt.step()
    g_loss = -critic(gen(torch.randn(96, 3))).mean()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
    if it % 40 == 0:
        with torch.no_grad():
            d = torch.cdist(gen(torch.randn(300, 3)), CENTERS).min(1).values.mean().item()
        print(f"{it} W {w.item():.3f} gp {gp.item():.3f} G {g_loss.item():.3f} distance to a centre {d:.3f}")
