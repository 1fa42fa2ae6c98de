# fault: targets-not-scaled
# cause_class: data-scaling, loss
# family: lightning
# split: held
# needs: lightning, numpy
import os
import logging
import warnings
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
import lightning.pytorch as pl

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
SEED = int(os.environ.get("SEED", 0))


def listing_table(n=1500):
    rng = np.random.default_rng(SEED)
    area = rng.gamma(6, 14, n) + 20
    rooms = np.clip(np.round(area / 28 + rng.normal(0, .6, n)), 1, 8)
    floor = rng.integers(0, 9, n)
    age = rng.integers(0, 90, n)
    dist = rng.exponential(5, n)
    price = 2600 * area + 9000 * rooms + 2500 * floor - 700 * age - 6500 * dist + 60000 + rng.normal(0, 15000, n)
    return np.stack([area, rooms, floor, age, dist], 1).astype("float32"), price.astype("float32")


class Listings(Dataset):
    def __init__(self, X, price):
        self.X = torch.from_numpy((X - X.mean(0)) / X.std(0))
        self.price = torch.from_numpy(price)

    def __len__(self):
        return len(self.price)

    def __getitem__(self, i):
        return self.X[i], self.price[i]


class PriceNet(pl.LightningModule):
    def __init__(self, width=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))
        self.loss_fn = nn.MSELoss()
        self.seen = []

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, _):
        x, y = batch
        loss = self.loss_fn(self(x), y)
        self.seen.append(loss.item())
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("mae", (self(x) - y).abs().mean(), prog_bar=True)

    def on_validation_epoch_end(self):
        print(f"epoch {self.current_epoch}: rmse {np.mean(self.seen[-20:]) ** .5:,.0f}  val mae {self.trainer.callback_metrics['mae'].item():,.0f}")

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=1e-3)
        return {"optimizer": opt, "lr_scheduler": torch.optim.lr_scheduler.StepLR(opt, 6, 0.5)}


pl.seed_everything(SEED, verbose=False)
X, price = listing_table()
train = DataLoader(Listings(X[:1200], price[:1200]), batch_size=32, shuffle=True)
val = DataLoader(Listings(X[1200:], price[1200:]), batch_size=100)
pl.Trainer(max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
           enable_model_summary=False, num_sanity_val_steps=0).fit(PriceNet(), train, val)
