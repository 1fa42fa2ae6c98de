# fault: none
# family: lightning
# split: held
# needs: lightning, sklearn
import logging
import os
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
SEED = int(os.environ.get("SEED", 0))
L.seed_everything(SEED, verbose=False)


class Digits(L.LightningDataModule):
    def setup(self, stage):
        d = load_digits()
        x = torch.tensor(d.data, dtype=torch.float32) / 16
        self.train, self.val = random_split(TensorDataset((x - x.mean()) / x.std(), torch.tensor(d.target)), [1400, 397])

    def train_dataloader(self):
        return DataLoader(self.train, 28, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, 100)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 10))

    def training_step(self, b, _):
        loss = F.cross_entropy(self.f(b[0]), b[1])
        self.log("loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, b, _):
        o = self.f(b[0])
        self.log_dict({"val_loss": F.cross_entropy(o, b[1]), "val_acc": (o.argmax(1) == b[1]).float().mean()})

    def on_train_epoch_end(self):
        print(self.current_epoch, {k: round(v.item(), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), 2e-3)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=1), "monitor": "val_loss"}}


L.Trainer(max_epochs=15, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
          enable_model_summary=False, callbacks=[EarlyStopping("val_loss", patience=3)]).fit(Net(), datamodule=Digits())
