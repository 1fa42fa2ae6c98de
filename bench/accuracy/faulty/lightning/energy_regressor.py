# fault: clip-too-tight
# cause_class: optimizer, learning-rate
# family: lightning
# split: held
# needs: lightning
import logging
import os
import warnings

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore")
pl.seed_everything(int(os.environ.get("SEED", "0")))

HPARAMS = {
    "lr": 0.02,
    "momentum": 0.9,
    "batch_size": 32,
    "max_epochs": 10,
    "clip": 1e-4,
}


def building_energy(n=1600):
    x = torch.rand(n, 6) * 2 - 1
    y = 1.5 * x[:, 0] - x[:, 1] * x[:, 2] + torch.sin(3 * x[:, 3]) + 0.5 * x[:, 4].abs() + 0.05 * torch.randn(n)
    return TensorDataset(x, ((y - y.mean()) / y.std()).unsqueeze(1))


class Energy(pl.LightningModule):
    def __init__(self, lr, momentum):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(6, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.mse_loss(self.net(x), y)
        self.log("train_mse", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_mse", F.mse_loss(self.net(x), y))

    def on_train_epoch_end(self):
        print(self.current_epoch, {k: round(v.item(), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=self.hparams.momentum)


train, val = random_split(building_energy(), [1300, 300])
trainer = pl.Trainer(
    max_epochs=HPARAMS["max_epochs"], gradient_clip_val=HPARAMS["clip"], accelerator="cpu", logger=False,
    enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
)
trainer.fit(Energy(HPARAMS["lr"], HPARAMS["momentum"]),
            DataLoader(train, HPARAMS["batch_size"], shuffle=True), DataLoader(val, 300))
