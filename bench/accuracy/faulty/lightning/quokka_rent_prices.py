# fault: targets-not-scaled
# cause_class: data-scaling, loss
# family: lightning
# split: tune
# needs: lightning
import logging
import os
import warnings
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split
import lightning.pytorch as pl

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
pl.seed_everything(int(os.environ.get("SEED", "0")), verbose=False)


def listings(n=2400):
    area = 30 + 90 * torch.rand(n)
    rooms = (area / 25 + torch.randn(n)).round().clamp(1, 6)
    dist = 15 * torch.rand(n)
    age = 60 * torch.rand(n)
    yearly_rent = 120 * area + 900 * rooms - 300 * dist + 3000 * torch.exp(-age / 10) + 500 * torch.randn(n) + 6000
    x = torch.stack([area, rooms, dist, age], 1)
    x = (x - x.mean(0)) / x.std(0)
    return TensorDataset(x, yearly_rent)


class Rent(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
        self.history = []

    def step(self, batch):
        x, y = batch
        pred = self.net(x).flatten()
        return F.smooth_l1_loss(pred, y), pred, y

    def training_step(self, batch, i):
        loss, _, _ = self.step(batch)
        self.log("train/loss", loss)
        return loss

    def validation_step(self, batch, i):
        loss, pred, y = self.step(batch)
        self.log("val/loss", loss)
        self.history.append((loss.item(), ((pred - y).abs() / y).mean().item()))

    def on_validation_epoch_end(self):
        print("val loss %.1f, relative error %.3f" % self.history[-1])

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


train, val = random_split(listings(), [2000, 400])
trainer = pl.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False, num_sanity_val_steps=0,
                     enable_progress_bar=False, enable_model_summary=False)
trainer.fit(Rent(), DataLoader(train, 32, shuffle=True), DataLoader(val, 400))
