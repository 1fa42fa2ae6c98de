# fault: none
# family: lightning
# split: held
# needs: lightning
import logging
import os

import lightning as L
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
SEED = int(os.environ.get("SEED", 0))


class VAE(L.LightningModule):
    def __init__(self, n=20, z=3, warmup=200):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(n, 64), nn.ReLU())
        self.mu, self.logvar = nn.Linear(64, z), nn.Linear(64, z)
        self.dec = nn.Sequential(nn.Linear(z, 64), nn.ReLU(), nn.Linear(64, n))
        self.warmup = warmup

    def losses(self, x):
        h = self.enc(x)
        mu, lv = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * lv).exp() if self.training else mu
        rec = (self.dec(z) - x).pow(2).sum(1).mean() / (2 * 0.3 ** 2) / x.shape[1]
        kl = -0.5 * (1 + lv - mu.pow(2) - lv.exp()).sum(1).mean() / x.shape[1]
        return rec, kl

    def training_step(self, batch, batch_idx):
        rec, kl = self.losses(batch[0])
        beta = min(1.0, self.global_step / self.warmup)
        self.log_dict({"rec": rec, "kl": kl})
        return rec + beta * kl

    def validation_step(self, batch, batch_idx):
        rec, kl = self.losses(batch[0])
        print(f"epoch {self.current_epoch} val rec {rec:.4f} kl {kl:.4f}")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=2e-3)


L.seed_everything(SEED, verbose=False)
w = torch.randn(3, 20)
x = torch.tanh(torch.randn(2300, 3) @ w / 1.5) + 0.1 * torch.randn(2300, 20)
train = DataLoader(TensorDataset(x[:2000]), batch_size=50, shuffle=True)
val = DataLoader(TensorDataset(x[2000:]), batch_size=300)
trainer = L.Trainer(max_epochs=12, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(VAE(), train, val)
