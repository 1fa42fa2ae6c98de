# fault: too-few-updates
# cause_class: epochs, learning-rate
# family: lightning
# split: tune
# needs: lightning
# alarm: no
"""Head of a centrifugal pump from flow, speed, impeller and viscosity (surrogate of a solver)."""
import argparse
import logging
import os
import warnings

import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

ap = argparse.ArgumentParser()
ap.add_argument("--epochs", type=int, default=70)
ap.add_argument("--lr", type=float, default=1e-3)
ap.add_argument("--width", type=int, default=64)
ap.add_argument("--batch", type=int, default=64)
ap.add_argument("--train_fraction", type=int, default=1, help="share of the training set per epoch")
hp = ap.parse_args([])
pl.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)


def solver(n):
    x = torch.rand(n, 4) * 2 - 1
    q, w, d, v = x.T
    h = (w + 1.5) ** 2 * (1 + 0.4 * d) - 0.8 * (q + 1) ** 2 - 0.3 * torch.sin(3 * q * v) - 0.2 * v
    return x, ((h - 1.6) / 2.0).unsqueeze(1)


class Surrogate(pl.LightningModule):
    def __init__(self, width, lr):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(4, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1))

    def training_step(self, batch, idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.net(x), y), prog_bar=True)

    def on_validation_epoch_end(self):
        if self.current_epoch % 10 == 0:
            print(self.current_epoch, {k: round(float(v), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


train = DataLoader(TensorDataset(*solver(4096)), batch_size=hp.batch, shuffle=True)
val = DataLoader(TensorDataset(*solver(512)), batch_size=256)
trainer = pl.Trainer(max_epochs=hp.epochs, limit_train_batches=hp.train_fraction, accelerator="cpu", logger=False,
                     enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
                     num_sanity_val_steps=0)
model = Surrogate(hp.width, hp.lr)
trainer.fit(model, train, val)
print(trainer.validate(model, val, verbose=False), "updates", trainer.global_step)
