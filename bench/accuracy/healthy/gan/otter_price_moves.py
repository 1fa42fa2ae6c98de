# fault: none
# family: gan
# split: held
import os
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class GanConfig:
    latent: int = 8
    width: int = 64
    batch: int = 128
    steps: int = 600
    lr_g: float = 1e-3
    lr_d: float = 1e-3
    betas: tuple = (0.5, 0.99)
    ema: float = 0.99


def returns(n):
    """Standardised daily moves of two related assets, calm and stormy days."""
    calm = torch.rand(n, 1) < 0.7
    z = torch.randn(n, 2)
    a = torch.stack([z[:, 0], 0.8 * z[:, 0] + 0.6 * z[:, 1]], 1)
    return torch.where(calm, 0.5 * a + 0.4, 0.9 * a - 1.0)


def mlp(i, h, o):
    return nn.Sequential(nn.Linear(i, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, o))


def moments(x):
    return torch.cat([x.mean(0), x.std(0), torch.corrcoef(x.T)[0, 1:]])


class GanTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.g, self.d = mlp(cfg.latent, cfg.width, 2), mlp(2, cfg.width, 1)
        self.og = torch.optim.Adam(self.g.parameters(), cfg.lr_g, cfg.betas)
        self.od = torch.optim.Adam(self.d.parameters(), cfg.lr_d, cfg.betas)
        self.avg = torch.optim.swa_utils.AveragedModel(
            self.g, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(cfg.ema))

    def fake(self, n, g=None):
        return (g or self.g)(torch.randn(n, self.cfg.latent))

    def critic_step(self):
        real = returns(self.cfg.batch).requires_grad_(True)
        score = self.d(real)
        loss = F.softplus(-score).mean() + F.softplus(self.d(self.fake(self.cfg.batch).detach())).mean()
        slope, = torch.autograd.grad(score.sum(), real, create_graph=True)
        penalty = 0.1 * slope.pow(2).sum(1).mean()
        self.od.zero_grad()
        (loss + penalty).backward()
        self.od.step()
        return loss.item()

    def generator_step(self):
        loss = F.softplus(-self.d(self.fake(self.cfg.batch))).mean()
        self.og.zero_grad()
        loss.backward()
        self.og.step()
        self.avg.update_parameters(self.g)
        return loss.item()

    def fit(self):
        want = moments(returns(20000))
        for it in range(1, self.cfg.steps + 1):
            d, g = self.critic_step(), self.generator_step()
            if it % 100 == 0:
                with torch.no_grad():
                    gap = (moments(self.fake(4000, self.avg)) - want).abs().max().item()
                print(f"{it:4d} d {d:.3f} g {g:.3f} worst gap of moments {gap:.3f}")


torch.manual_seed(int(os.environ.get("SEED", 0)))
GanTrainer(GanConfig()).fit()
