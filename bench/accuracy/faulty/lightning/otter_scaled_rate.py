# fault: learning-rate-too-high
# cause_class: learning-rate
# family: lightning
# split: held
# needs: lightning
import logging
import os
import warnings
from dataclasses import dataclass

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


@dataclass
class Run:
    seed: int = int(os.environ.get("SEED", 0))
    classes: int = 6
    length: int = 64
    batch_size: int = 64
    base_lr: float = 0.004
    epochs: int = 10

    @property
    def lr(self):
        # linear scaling rule
        return self.base_lr * self.batch_size


class Gestures(L.LightningDataModule):
    def __init__(self, run):
        super().__init__()
        self.run = run

    def make(self, n):
        y = torch.randint(0, self.run.classes, (n,))
        t = torch.linspace(0, 6.28, self.run.length)
        a = torch.sin((y[:, None] + 1) * t + torch.rand(n, 1) * 6.28)
        b = torch.cos((self.run.classes - y[:, None]) * t + torch.rand(n, 1) * 6.28)
        x = torch.stack([a, b], 1) + 0.5 * torch.randn(n, 2, self.run.length)
        return TensorDataset(x, y)

    def setup(self, stage=None):
        self.tr, self.va = self.make(1280), self.make(320)

    def train_dataloader(self):
        return DataLoader(self.tr, self.run.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.va, 320)


class GestureNet(L.LightningModule):
    def __init__(self, run):
        super().__init__()
        self.run = run
        self.net = nn.Sequential(nn.Conv1d(2, 16, 7, 2, 3), nn.ReLU(), nn.Conv1d(16, 32, 5, 2, 2), nn.ReLU(),
                                 nn.AdaptiveMaxPool1d(2), nn.Flatten(), nn.Linear(64, 48), nn.ReLU(),
                                 nn.Linear(48, run.classes))

    def step(self, batch, name):
        x, y = batch
        out = self.net(x)
        loss = F.cross_entropy(out, y)
        self.log_dict({f"{name}_loss": loss, f"{name}_acc": (out.argmax(1) == y).float().mean()},
                      on_step=False, on_epoch=True)
        return loss

    def training_step(self, batch, _):
        return self.step(batch, "train")

    def validation_step(self, batch, _):
        self.step(batch, "val")

    def on_train_epoch_end(self):
        print({k: round(v.item(), 3) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.run.lr, weight_decay=1e-4)


run = Run()
L.seed_everything(run.seed, verbose=False)
L.Trainer(max_epochs=run.epochs, accelerator="cpu", logger=False, enable_checkpointing=False,
          enable_progress_bar=False, enable_model_summary=False,
          num_sanity_val_steps=0).fit(GestureNet(run), datamodule=Gestures(run))
