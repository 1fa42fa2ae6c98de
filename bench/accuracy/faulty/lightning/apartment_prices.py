# fault: targets-not-scaled
# cause_class: data-scaling, labels, learning-rate
# family: lightning
# split: held
# needs: lightning
import os
import tempfile

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

SEED = int(os.environ.get("SEED", "0"))
L.seed_everything(SEED, verbose=False)


class ApartmentData(L.LightningDataModule):
    """area, rooms, floor, year, distance -> asking price in euro"""

    def prepare_table(self, n=5000):
        area = 30 + 120 * torch.rand(n)
        rooms = (area / 28 + 0.5 * torch.randn(n)).round().clamp(1, 7)
        floor = torch.randint(0, 9, (n,)).float()
        year = 1950 + 70 * torch.rand(n)
        distance = 15 * torch.rand(n)
        price = area * (5200 - 180 * distance) + 900 * (year - 1980) + 6000 * floor + 12000 * torch.randn(n)
        x = torch.stack([area, rooms, floor, year, distance], 1)
        x = (x - x.mean(0)) / x.std(0)
        return TensorDataset(x, price)

    def setup(self, stage=None):
        table = self.prepare_table()
        self.train_set, self.val_set = random_split(table, [4200, 800])

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=64, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=400)


class PriceModel(L.LightningModule):
    def __init__(self, hidden=64, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(5, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(),
                                 nn.Linear(hidden, 1))
        self.criterion = nn.MSELoss()

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, _):
        x, y = batch
        loss = self.criterion(self(x), y)
        self.log("train_mse", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        pred = self(x)
        self.log("val_mae", (pred - y).abs().mean())
        self.log("val_r2", 1 - ((pred - y) ** 2).sum() / ((y - y.mean()) ** 2).sum())

    def on_train_epoch_end(self):
        print({k: f"{float(v):.4g}" for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


if __name__ == "__main__":
    L.Trainer(max_epochs=6, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
              enable_model_summary=False, default_root_dir=tempfile.mkdtemp(),
              num_sanity_val_steps=0).fit(PriceModel(), datamodule=ApartmentData())
