# fault: none
# family: lightning
# split: held
# needs: lightning
"""GAN that imitates two correlated columns, manual optimisation with two optimisers."""
import os
import tempfile

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

L.seed_everything(int(os.environ.get("SEED", "0")), verbose=False)


MIX = torch.tensor([[0.9, 0.0], [0.6, 0.4]])
CENTER = torch.tensor([0.5, -0.5])


def returns(n):
    """two correlated daily returns, standardised units"""
    return torch.randn(n, 2) @ MIX.t() + CENTER


def net(i, o, act, h=64):
    return nn.Sequential(nn.Linear(i, h), act, nn.Linear(h, h), act, nn.Linear(h, o))


class GAN(L.LightningModule):
    def __init__(self, latent=8, lr=5e-4):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.generator = net(latent, 2, nn.ReLU())
        self.discriminator = net(2, 1, nn.LeakyReLU(0.2))

    def noise(self, n):
        return torch.randn(n, self.hparams.latent, device=self.device)

    def training_step(self, batch, _):
        real, = batch
        opt_g, opt_d = self.optimizers()
        fake = self.generator(self.noise(len(real)))
        d_real, d_fake = self.discriminator(real), self.discriminator(fake.detach())
        d_loss = F.softplus(-d_real).mean() + F.softplus(d_fake).mean()
        opt_d.zero_grad()
        self.manual_backward(d_loss)
        opt_d.step()

        self.toggle_optimizer(opt_g)
        g_loss = F.softplus(-self.discriminator(fake)).mean()
        opt_g.zero_grad()
        self.manual_backward(g_loss)
        opt_g.step()
        self.untoggle_optimizer(opt_g)
        self.log_dict({"d": d_loss, "g": g_loss}, on_step=False, on_epoch=True)

    def on_train_epoch_end(self):
        if self.current_epoch % 2:
            with torch.no_grad():
                s = self.generator(self.noise(1000))
            mean, cov = s.mean(0), torch.cov(s.t())
            m = self.trainer.callback_metrics
            print(f"epoch {self.current_epoch} d {m['d']:.3f} g {m['g']:.3f} mean {mean[0]:.2f} {mean[1]:.2f} "
                  f"cov {cov[0, 0]:.2f} {cov[0, 1]:.2f} {cov[1, 1]:.2f}")

    def configure_optimizers(self):
        kw = dict(lr=self.hparams.lr, betas=(0.5, 0.99))
        opt_g = torch.optim.Adam(self.generator.parameters(), **kw)
        opt_d = torch.optim.Adam(self.discriminator.parameters(), **{**kw, "lr": 2 * kw["lr"]})
        return [opt_g, opt_d]


if __name__ == "__main__":
    L.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
              enable_model_summary=False, default_root_dir=tempfile.mkdtemp()).fit(
        GAN(), DataLoader(TensorDataset(returns(6400)), 128, shuffle=True, drop_last=True))
