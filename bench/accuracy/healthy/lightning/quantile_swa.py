# fault: none
# family: lightning
# split: tune
# needs: lightning
import logging
import os
import warnings

import lightning.pytorch as pl
import torch
from lightning.pytorch.callbacks import StochasticWeightAveraging
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
QUANTILES = torch.tensor([0.1, 0.5, 0.9])


def pinball(pred, y):
    d = y[:, None] - pred
    return torch.maximum(QUANTILES * d, (QUANTILES - 1) * d).sum(1).mean()


class Quantiles(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(4, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 3))

    def forward(self, x):
        return self.f(x)

    def training_step(self, b, i):
        loss = pinball(self(b[0]), b[1])
        self.log("train", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, b, i):
        p = self(b[0])
        self.log("val", pinball(p, b[1]))
        self.log("inside", ((b[1] > p[:, 0]) & (b[1] < p[:, 2])).float().mean())

    def on_train_epoch_end(self):
        print(self.current_epoch, {k: round(float(v), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)
        return [opt], [torch.optim.lr_scheduler.CosineAnnealingLR(opt, 12)]


pl.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
x = torch.randn(2400, 4)
y = torch.sin(2 * x[:, 0]) + x[:, 1] + (0.2 + 0.3 * torch.sigmoid(2 * x[:, 2])) * torch.randn(2400)
y = (y - y[:2000].mean()) / y[:2000].std()
pl.Trainer(max_epochs=12, callbacks=[StochasticWeightAveraging(swa_lrs=0.01, swa_epoch_start=8, annealing_epochs=2)],
           accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
           num_sanity_val_steps=0).fit(Quantiles(), DataLoader(TensorDataset(x[:2000], y[:2000]), 40, shuffle=True),
                                       DataLoader(TensorDataset(x[2000:], y[2000:]), 400))
