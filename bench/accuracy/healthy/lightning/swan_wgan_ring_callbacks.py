# fault: none
# family: lightning
# split: held
# needs: lightning
"""WGAN-GP on a ring of Gaussians in Lightning, three critic steps for one of the generator."""
import logging
import math
import os
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", "0")), verbose=False)


def ring(n, modes=6):
    a = torch.randint(0, modes, (n,)) * 2 * math.pi / modes
    return torch.stack([a.cos(), a.sin()], 1) * 1.4 + 0.08 * torch.randn(n, 2)


def mlp(i, o, w=64):
    return nn.Sequential(nn.Linear(i, w), nn.LeakyReLU(0.2), nn.Linear(w, w), nn.LeakyReLU(0.2), nn.Linear(w, o))


class WGAN(L.LightningModule):
    def __init__(self, z=4, n_critic=3, gp=1.0):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.gen, self.critic = mlp(z, 2), mlp(2, 1)

    def penalty(self, real, fake):
        a = torch.rand(len(real), 1)
        x = (a * real + (1 - a) * fake).requires_grad_(True)
        g, = torch.autograd.grad(self.critic(x).sum(), x, create_graph=True)
        return (g.norm(dim=1) - 1).pow(2).mean()

    def training_step(self, batch, i):
        (real,) = batch
        og, oc = self.optimizers()
        z = torch.randn(len(real), self.hparams.z)
        with torch.no_grad():
            fake = self.gen(z)
        lc = self.critic(fake).mean() - self.critic(real).mean() + self.hparams.gp * self.penalty(real, fake)
        oc.zero_grad()
        self.manual_backward(lc)
        oc.step()
        self.log("critic", lc, on_epoch=True, on_step=False)
        if (i + 1) % self.hparams.n_critic == 0:
            self.toggle_optimizer(og)
            lg = -self.critic(self.gen(z)).mean()
            og.zero_grad()
            self.manual_backward(lg)
            og.step()
            self.untoggle_optimizer(og)
            self.log("generator", lg, on_epoch=True, on_step=False)

    def configure_optimizers(self):
        opts = [torch.optim.Adam(self.gen.parameters(), lr=7e-4, betas=(0.0, 0.9)),
                torch.optim.Adam(self.critic.parameters(), lr=1e-3, betas=(0.0, 0.9))]
        return opts, [torch.optim.lr_scheduler.ExponentialLR(o, 0.75) for o in opts]

    def on_train_epoch_end(self):
        for s in self.lr_schedulers():
            s.step()


class EnergyDistance(L.Callback):
    def on_train_epoch_end(self, trainer, pl):
        with torch.no_grad():
            f, r = pl.gen(torch.randn(400, pl.hparams.z)), ring(400)
            e = 2 * torch.cdist(f, r).mean() - torch.cdist(f, f).mean() - torch.cdist(r, r).mean()
        m = trainer.callback_metrics
        print(f"epoch {trainer.current_epoch} critic {m['critic']:.4f} generator {m['generator']:.4f} energy {e:.4f}")


loader = DataLoader(TensorDataset(ring(64 * 54)), batch_size=64, shuffle=True)
L.Trainer(max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
          enable_model_summary=False, callbacks=[EnergyDistance()]).fit(WGAN(), loader)
