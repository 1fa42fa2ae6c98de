# fault: none
# family: lightning
# split: tune
# needs: lightning
import logging
import os
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class VAE(L.LightningModule):
    def __init__(self, latent=8, hidden=96, warm=150):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, hidden), nn.ReLU())
        self.mu, self.logvar = nn.Linear(hidden, latent), nn.Linear(hidden, latent)
        self.dec = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, 64))
        self.warm = warm

    def terms(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp() if self.training else mu
        rec = F.binary_cross_entropy_with_logits(self.dec(z), x, reduction="none").sum(1).mean()
        kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1).mean()
        return rec, kl

    def training_step(self, batch, _):
        rec, kl = self.terms(batch[0])
        beta = min(1.0, self.global_step / self.warm)
        self.log_dict({"rec": rec, "kl": kl}, on_epoch=True, on_step=False)
        return rec + beta * kl

    def validation_step(self, batch, _):
        rec, kl = self.terms(batch[0])
        self.log("val_elbo", rec + kl)

    def on_train_epoch_end(self):
        print(self.current_epoch, {k: round(float(v), 2) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=3e-3)


def main():
    L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
    x = torch.tensor(load_digits().data, dtype=torch.float32) / 16
    x = x[torch.randperm(len(x))]
    L.Trainer(max_epochs=16, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
              enable_model_summary=False, num_sanity_val_steps=0).fit(
        VAE(), DataLoader(TensorDataset(x[:1500]), 50, shuffle=True), DataLoader(TensorDataset(x[1500:]), 297))


main()
