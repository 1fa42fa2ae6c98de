# fault: none
# family: lightning
# split: held
# needs: lightning
import os
import tempfile

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", "0"))
L.seed_everything(SEED, verbose=False)


def apartments(n):
    area = 30 + 120 * torch.rand(n)
    floor = torch.randint(0, 9, (n,)).float()
    year = 1950 + 70 * torch.rand(n)
    distance = 15 * torch.rand(n)
    price = area * (5200 - 180 * distance) + 900 * (year - 1980) + 6000 * floor + 12000 * torch.randn(n)
    return torch.stack([area, floor, year, distance], 1), price.clamp(min=20_000)


class ApartmentData(L.LightningDataModule):
    def setup(self, stage=None):
        x, price = apartments(5000)
        x_val, self.val_price = apartments(800)
        self.mean, self.std = x.mean(0), x.std(0)
        self.train_set = TensorDataset((x - self.mean) / self.std, price)
        self.val_set = TensorDataset((x_val - self.mean) / self.std, self.val_price)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=64, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=400)


class PriceModel(L.LightningModule):
    """works on log prices; euros come in and euros go out"""

    def __init__(self, center=12.6, spread=0.5, hidden=64, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(4, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(),
                                 nn.Linear(hidden, 1))

    def scaled(self, euros):
        return (euros.log() - self.hparams.center) / self.hparams.spread

    def forward(self, x):
        return (self.net(x).squeeze(-1) * self.hparams.spread + self.hparams.center).exp()

    def training_step(self, batch, _):
        x, euros = batch
        loss = nn.functional.huber_loss(self.net(x).squeeze(-1), self.scaled(euros))
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        x, euros = batch
        pred = self(x)
        self.log("val_mae_euro", (pred - euros).abs().mean())
        self.log("val_r2", 1 - ((pred - euros) ** 2).sum() / ((euros - euros.mean()) ** 2).sum())

    def on_train_epoch_end(self):
        print({k: f"{float(v):.4g}" for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


if __name__ == "__main__":
    L.Trainer(max_epochs=5, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
              enable_model_summary=False, default_root_dir=tempfile.mkdtemp(),
              num_sanity_val_steps=0).fit(PriceModel(), datamodule=ApartmentData())
