# fault: overfit
# cause_class: overfit, epochs, regularisation
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
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
pl.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)


class Genes(pl.LightningDataModule):
    """Expression of 200 genes in 120 patients, 6 of the genes matter, diagnosis not certain."""

    def setup(self, stage=None):
        x = torch.randn(420, 200)
        p = torch.sigmoid(1.2 * x[:, :6].sum(1) / 2)
        y = torch.bernoulli(p).long()
        self.train, self.val = TensorDataset(x[:120], y[:120]), TensorDataset(x[120:], y[120:])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=20, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=300)


class Diagnosis(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(200, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 2))

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        out = self.net(x)
        self.log_dict({"val_loss": F.cross_entropy(out, y), "val_acc": (out.argmax(1) == y).float().mean()})

    def on_train_epoch_end(self):
        if self.current_epoch % 10 == 0:
            print(self.current_epoch, {k: round(float(v), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


pl.Trainer(max_epochs=80, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
           enable_model_summary=False, num_sanity_val_steps=0).fit(Diagnosis(), datamodule=Genes())
