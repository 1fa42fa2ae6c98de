# fault: none
# family: lightning
# split: held
# needs: lightning
import logging
import os
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)


def bars(n, s=8):
    rows, cols = torch.rand(n, s) < 0.2, torch.rand(n, s) < 0.2
    img = (rows[:, :, None] | cols[:, None, :]).float()
    flip = torch.rand_like(img) < 0.01
    return torch.where(flip, 1 - img, img).flatten(1)


class VAE(L.LightningModule):
    """Summed Bernoulli reconstruction; the weight of the KL rises over the first half."""

    def __init__(self, latent=10, hidden=96, lr=2e-3, warm=450):
        super().__init__()
        self.save_hyperparameters()
        self.enc = nn.Sequential(nn.Linear(64, hidden), nn.ReLU(), nn.Linear(hidden, 2 * latent))
        self.dec = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, 64))

    def elbo(self, x, sample):
        mu, logvar = self.enc(x).chunk(2, -1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp() if sample else mu
        rec = nn.functional.binary_cross_entropy_with_logits(self.dec(z), x, reduction="none").sum(1).mean()
        kl = 0.5 * (mu.pow(2) + logvar.exp() - 1 - logvar).sum(1).mean()
        return rec, kl

    def training_step(self, batch, _):
        rec, kl = self.elbo(batch[0], True)
        beta = min(1.0, (self.global_step + 1) / self.hparams.warm)
        return rec + beta * kl

    def validation_step(self, batch, _):
        rec, kl = self.elbo(batch[0], True)
        self.log_dict({"rec": rec, "kl": kl, "elbo": rec + kl})

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch}: rec {m['rec']:.2f} kl {m['kl']:.2f} sum {m['elbo']:.2f}")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


trainer = L.Trainer(max_epochs=9, accelerator="cpu", logger=False, enable_checkpointing=False, num_sanity_val_steps=0,
                    enable_progress_bar=False, enable_model_summary=False, gradient_clip_val=20.0)
trainer.fit(VAE(), DataLoader(TensorDataset(bars(6400)), 64, shuffle=True), DataLoader(TensorDataset(bars(600)), 300))
