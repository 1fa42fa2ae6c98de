# fault: sigmoid-twice
# cause_class: output-activation, loss, data-scaling
# family: lightning
# split: held
# needs: lightning
import os
import warnings
import logging
import torch
import torch.nn as nn
import lightning as L
from torch.utils.data import TensorDataset, DataLoader

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

TAGS = ["action", "drama", "comedy", "horror", "romance", "crime", "family", "music", "war", "sport"]


class PlotData(L.LightningDataModule):
    """bag-of-words plots (sqrt of counts), several tags each"""

    def setup(self, stage=None):
        g = torch.Generator().manual_seed(int(os.environ.get("SEED", 0)) + 1)
        words, n = 120, 3000
        topic = torch.rand(len(TAGS), words, generator=g).pow(6) * 3
        y = (torch.rand(n, len(TAGS), generator=g) < 0.18).float()
        counts = torch.poisson(y @ topic + 0.15, generator=g)
        x = counts.sqrt() - counts.sqrt().mean(0)
        self.train, self.val = TensorDataset(x[:2600], y[:2600]), TensorDataset(x[2600:], y[2600:])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=64, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=200)


class TagHead(nn.Module):
    """independent probability per tag"""

    def __init__(self, d, n):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.proj = nn.Linear(d, n)

    def forward(self, h):
        return self.proj(self.norm(h)).sigmoid()


class Tagger(L.LightningModule):
    def __init__(self, hidden=96, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.encoder = nn.Sequential(nn.Linear(120, hidden), nn.GELU(), nn.Dropout(0.1), nn.Linear(hidden, hidden), nn.GELU())
        self.head = TagHead(hidden, len(TAGS))
        self.criterion = nn.BCEWithLogitsLoss()

    def forward(self, x):
        return self.head(self.encoder(x))

    def training_step(self, batch, i):
        x, y = batch
        loss = self.criterion(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, i):
        x, y = batch
        p = self(x)
        self.log("val_loss", self.criterion(p, y))
        pred = (p > 0.5).float()
        self.log("val_f1", 2 * (pred * y).sum() / (pred.sum() + y.sum()).clamp(min=1))

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(self.current_epoch, {k: round(float(v), 4) for k, v in m.items()})

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-3)


if __name__ == "__main__":
    L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
    trainer = L.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(Tagger(), datamodule=PlotData())
