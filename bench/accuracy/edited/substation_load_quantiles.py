# fault: none
# family: forecasting
# split: held
# set: vole, unseen
# needs: lightning
"""Substation load, probabilistic forecast 6 hours ahead from the last 24 hours (load, temperature, calendar)."""
import logging
import math
import os
import warnings

import lightning as L
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
SEED = int(os.environ.get("SEED", "0"))
PAST, AHEAD = 24, 6


def simulate(hours, rng):
    """hourly load in MW and temperature in deg C"""
    t = np.arange(hours)
    temp = np.zeros(hours)
    noise = 0.0
    for i in range(hours):
        noise = 0.98 * noise + rng.normal(0, 0.5)
        temp[i] = 12 + 6 * math.sin(2 * math.pi * (i - 9) / 24) + noise
    weekend = ((t // 24) % 7 >= 5).astype(float)
    daily = 60 * np.sin(2 * np.pi * (t - 7) / 24) + 25 * np.sin(4 * np.pi * (t - 3) / 24)
    load = 420 + daily * (1 - 0.5 * weekend) + 4.0 * np.abs(temp - 15) + rng.normal(0, 6, hours)
    return load, temp, t % 24


def windows(load, temp, hour, stats):
    m, s, tm, ts = stats
    z = np.stack([(load - m) / s, (temp - tm) / ts, np.sin(2 * np.pi * hour / 24), np.cos(2 * np.pi * hour / 24)], 1)
    idx = np.arange(0, len(load) - PAST - AHEAD, 2)
    x = np.stack([z[i:i + PAST] for i in idx])
    y = np.stack([z[i + PAST:i + PAST + AHEAD, 0] for i in idx])
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


class LoadData(L.LightningDataModule):
    def __init__(self, batch_size=32):
        super().__init__()
        self.batch_size = batch_size
        rng = np.random.default_rng(SEED + 3)
        load, temp, hour = simulate(2600, rng)
        cut = 2000
        self.stats = (load[:cut].mean(), load[:cut].std(), temp[:cut].mean(), temp[:cut].std())
        self.train_set = TensorDataset(*windows(load[:cut], temp[:cut], hour[:cut], self.stats))
        self.val_set = TensorDataset(*windows(load[cut:], temp[cut:], hour[cut:], self.stats))

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=64)


class Forecaster(L.LightningModule):
    def __init__(self, hidden=32, lr=8e-3, epochs=6, load_std=1.0):
        super().__init__()
        self.save_hyperparameters()
        self.rnn = nn.GRU(4, hidden, batch_first=True)
        self.trunk = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU())
        self.mean = nn.Linear(hidden, AHEAD)
        self.logvar = nn.Linear(hidden, AHEAD)

    def forward(self, x):
        out, _ = self.rnn(x)
        h = self.trunk(out[:, -1])
        return self.mean(h), self.logvar(h).clamp(-6, 4)

    def nll(self, batch):
        x, y = batch
        mean, logvar = self(x)
        return 0.5 * (logvar + (y - mean) ** 2 * torch.exp(-logvar)).mean()

    def training_step(self, batch, batch_idx):
        loss = self.nll(batch)
        self.log("train_nll", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        mean, _ = self(x)
        self.log("val_mae", (mean - y).abs().mean() * self.hparams.load_std)

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch}: nll {m['train_nll']:.4f}  val mae {m['val_mae']:.2f} MW")

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=self.hparams.epochs, eta_min=1e-4)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "epoch"}}


def main():
    L.seed_everything(SEED, verbose=False)
    data = LoadData()
    model = Forecaster(load_std=float(data.stats[1]))
    trainer = L.Trainer(max_epochs=model.hparams.epochs, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                        enable_model_summary=False, num_sanity_val_steps=0, gradient_clip_val=1.0)
    trainer.fit(model, data)
    res = trainer.validate(model, data, verbose=False)[0]
    print(f"METRIC val_mae {res['val_mae']:.4f}")


if __name__ == "__main__":
    main()
