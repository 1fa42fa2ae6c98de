# fault: no-gradient
# cause_class: not-updated, structure, loss
# family: generative
# split: held
# Toy GAN: eight points on a ring (good smoke test before the real detector images)
import math, os, random
import torch
import torch.nn as nn

seed = int(os.environ.get('SEED', 0))
random.seed(seed)
torch.manual_seed(seed)


def real_batch(n):
    k = torch.randint(0, 8, (n,)).float()
    ang = k * (2 * math.pi / 8)
    return torch.stack([ang.cos(), ang.sin()], 1) * 1.5 + 0.06 * torch.randn(n, 2)


def mlp(i, o, act, h=64):
    return nn.Sequential(nn.Linear(i, h), act(), nn.Linear(h, h), act(), nn.Linear(h, o))


class GAN:
    def __init__(self, zdim=8):
        self.zdim = zdim
        self.G = mlp(zdim, 2, nn.ReLU)
        self.D = mlp(2, 1, lambda: nn.LeakyReLU(0.2))
        self.optG = torch.optim.Adam(self.G.parameters(), lr=1e-3, betas=(0.5, 0.99))
        self.optD = torch.optim.Adam(self.D.parameters(), lr=1e-3, betas=(0.5, 0.99))
        self.bce = nn.BCEWithLogitsLoss()

    def sample(self, n):
        return self.G(torch.randn(n, self.zdim))

    def step(self, x):
        n = len(x)
        one, zero = torch.ones(n, 1), torch.zeros(n, 1)
        fake = self.sample(n).detach()
        # --- critic
        dloss = self.bce(self.D(x + 0.05 * torch.randn_like(x)), 0.9 * one) + self.bce(self.D(fake), zero)
        self.optD.zero_grad()
        dloss.backward()
        self.optD.step()
        # --- generator (same samples, saves one forward pass)
        gloss = self.bce(self.D(fake), one)
        self.optG.zero_grad()
        gloss.backward()
        self.optG.step()
        return dloss.item(), gloss.item()

    @torch.no_grad()
    def report(self):
        s = self.sample(2000)
        radius = s.norm(dim=1)
        ang = torch.arange(8) * (2 * math.pi / 8)
        modes = torch.stack([ang.cos(), ang.sin()], 1) * 1.5
        d, who = torch.cdist(s, modes).min(1)
        good = d < 0.3
        return good.float().mean().item(), int(torch.unique(who[good]).numel()), radius.mean().item()


gan = GAN()
for it in range(1201):
    dl, gl = gan.step(real_batch(96))
    if it % 300 == 0:
        q, m, r = gan.report()
        print(f'{it:5d}  D {dl:.3f}  G {gl:.3f}  on-mode {q:.2f}  modes {m}/8  radius {r:.2f}')
