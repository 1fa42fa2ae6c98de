# fault: not-in-optimiser
# cause_class: not-updated, optimizer
# family: lightning
# split: tune
# needs: lightning
import logging
import os
import warnings

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
import lightning.pytorch as pl

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Pairs(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.user = torch.randn(n, 12, generator=g)
        self.item = torch.randn(n, 12, generator=g)
        s = self.user[:, :6].abs() - self.item[:, :6].abs()
        self.y = (s.sum(1) > 0).float()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.user[i], self.item[i], self.y[i]


def tower(width):
    return nn.Sequential(nn.Linear(12, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())


class TwoTower(pl.LightningModule):
    def __init__(self, width=48):
        super().__init__()
        self.user_tower = tower(width)
        self.item_tower = tower(width)
        self.head = nn.Sequential(nn.Linear(2 * width, 32), nn.ReLU(), nn.Linear(32, 1))
        self.loss = nn.BCEWithLogitsLoss()

    def forward(self, u, i):
        return self.head(torch.cat([self.user_tower(u), self.item_tower(i)], 1)).squeeze(1)

    def training_step(self, batch, idx):
        u, i, y = batch
        loss = self.loss(self(u, i), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, idx):
        u, i, y = batch
        self.log("val_acc", ((self(u, i) > 0) == (y > 0.5)).float().mean())

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(self.current_epoch, {k: round(float(v), 4) for k, v in m.items()})

    def configure_optimizers(self):
        groups = [
            {"params": self.user_tower.parameters(), "lr": 2e-3},
            {"params": self.head.parameters(), "lr": 2e-3},
        ]
        return torch.optim.AdamW(groups)


if __name__ == "__main__":
    seed = int(os.environ.get("SEED", 0))
    pl.seed_everything(seed, verbose=False)
    t = pl.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                   enable_model_summary=False, num_sanity_val_steps=0)
    t.fit(TwoTower(), DataLoader(Pairs(2000, seed), batch_size=50, shuffle=True), DataLoader(Pairs(500, seed + 1), batch_size=250))
