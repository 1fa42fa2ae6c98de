# fault: broadcast-targets
# cause_class: loss, labels, structure, activation
# family: lightning
# split: held
# needs: lightning
import logging
import os
import warnings

import lightning.pytorch as pl
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
SEED = int(os.environ.get("SEED", 0))
pl.seed_everything(SEED, verbose=False)


class LoadSeries(Dataset):
    def __init__(self, lo, hi, w=24):
        t = torch.arange(2200.0)
        g = torch.Generator().manual_seed(SEED + 5)
        s = torch.sin(t * 2 * torch.pi / 24) + 0.5 * torch.sin(t * 2 * torch.pi / 168) + 0.1 * torch.randn(2200, generator=g)
        self.s, self.lo, self.hi, self.w = (s - s.mean()) / s.std(), lo, hi, w

    def __len__(self):
        return self.hi - self.lo - self.w

    def __getitem__(self, i):
        j = self.lo + i
        return self.s[j:j + self.w].unsqueeze(-1), self.s[j + self.w]


def weighted_squared_error(pred, target, boost=0.5):
    w = 1 + boost * (target.abs() > 1).float()
    return (w * (pred - target) ** 2).mean()


class Forecaster(pl.LightningModule):
    def __init__(self, hidden=24):
        super().__init__()
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(self.gru(x)[0][:, -1])

    def training_step(self, batch, idx):
        loss = weighted_squared_error(self(batch[0]), batch[1])
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, idx):
        self.log("val_loss", weighted_squared_error(self(batch[0]), batch[1]))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=5e-3)


class Print(pl.Callback):
    def on_train_epoch_end(self, trainer, module):
        print({k: round(v.item(), 4) for k, v in trainer.callback_metrics.items()})


pl.Trainer(max_epochs=5, accelerator="cpu", callbacks=[Print()], logger=False, enable_checkpointing=False,
           enable_progress_bar=False, enable_model_summary=False).fit(
    Forecaster(), DataLoader(LoadSeries(0, 1700), 32, shuffle=True), DataLoader(LoadSeries(1700, 2200), 64))
