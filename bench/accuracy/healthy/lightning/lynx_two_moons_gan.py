# fault: none
# family: lightning
# split: held
# needs: lightning
"""Posted as 'G loss does not fall at all and D loss sits at 1.38, what do I do wrong?'"""
import os
import logging
import math
import warnings
import torch
from torch import nn
import torch.nn.functional as F
import lightning as L
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
SEED = int(os.environ.get("SEED", 0))


def moons(n):
    t = torch.rand(n) * math.pi
    up = torch.rand(n) < 0.5
    x = torch.where(up, t.cos(), 1 - t.cos())
    y = torch.where(up, t.sin(), 0.5 - t.sin())
    p = torch.stack([x, y], 1) + 0.06 * torch.randn(n, 2)
    return (p - p.mean(0)) / p.std(0)


class MoonGAN(L.LightningModule):
    def __init__(self, nz=4, width=64, lr_g=5e-4, lr_d=2e-3, betas=(0.5, 0.99)):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.generator = nn.Sequential(nn.Linear(nz, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 2))
        self.discriminator = nn.Sequential(nn.Linear(2, width), nn.LeakyReLU(0.2), nn.Linear(width, width), nn.LeakyReLU(0.2),
                                           nn.Linear(width, 1))

    def training_step(self, batch, i):
        (real,) = batch
        opt_g, opt_d = self.optimizers()
        z = torch.randn(len(real), self.hparams.nz)

        self.toggle_optimizer(opt_d)
        with torch.no_grad():
            fake = self.generator(z)
        d_loss = F.softplus(-self.discriminator(real)).mean() + F.softplus(self.discriminator(fake)).mean()
        opt_d.zero_grad()
        self.manual_backward(d_loss)
        opt_d.step()
        self.untoggle_optimizer(opt_d)

        self.toggle_optimizer(opt_g)
        g_loss = F.softplus(-self.discriminator(self.generator(z))).mean()
        opt_g.zero_grad()
        self.manual_backward(g_loss)
        opt_g.step()
        self.untoggle_optimizer(opt_g)
        self.log_dict({"g": g_loss, "d": d_loss}, on_step=False, on_epoch=True)

    def on_train_epoch_end(self):
        with torch.no_grad():
            fake = self.generator(torch.randn(400, self.hparams.nz))
            real = moons(400)
            near = torch.cdist(fake, real).min(1)[0].mean() + torch.cdist(real, fake).min(1)[0].mean()
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d}  D {m['d'].item():.3f}  G {m['g'].item():.3f}  chamfer {near:.3f}")

    def configure_optimizers(self):
        h = self.hparams
        return (torch.optim.Adam(self.generator.parameters(), lr=h.lr_g, betas=h.betas),
                torch.optim.Adam(self.discriminator.parameters(), lr=h.lr_d, betas=h.betas))


L.seed_everything(SEED, verbose=False)
loader = DataLoader(TensorDataset(moons(6400)), batch_size=128, shuffle=True, drop_last=True)
L.Trainer(max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
          enable_model_summary=False).fit(MoonGAN(), loader)
