# fault: clip-too-tight
# cause_class: optimizer, learning-rate
# family: lightning
# split: tune
# needs: lightning
import argparse
import logging
import os
import warnings

import lightning as L
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Shapes(L.LightningDataModule):
    def __init__(self, batch_size):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage=None):
        def make(n):
            y = torch.randint(0, 2, (n,))
            x = 0.5 * torch.randn(n, 1, 12, 12)
            for i in range(n):
                r, c = torch.randint(1, 8, (2,)).tolist()
                if y[i]:
                    x[i, 0, r:r + 4, c:c + 4] += 1.5
                else:
                    x[i, 0, r:r + 4, c] += 2.5
                    x[i, 0, r, c:c + 4] += 2.5
            return TensorDataset(x, y)
        self.train, self.val = make(1000), make(250)

    def train_dataloader(self):
        return DataLoader(self.train, self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, 125)


class LitCNN(L.LightningModule):
    def __init__(self, lr):
        super().__init__()
        self.lr = lr
        self.net = nn.Sequential(nn.Conv2d(1, 12, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3), nn.ReLU(),
                                 nn.Flatten(), nn.Linear(24 * 9, 2))
        self.crit = nn.CrossEntropyLoss()

    def training_step(self, batch, i):
        loss = self.crit(self.net(batch[0]), batch[1])
        self.log("loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, i):
        self.log("acc", (self.net(batch[0]).argmax(1) == batch[1]).float().mean())

    def on_train_epoch_end(self):
        print({k: round(v.item(), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr, momentum=0.9)


parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.02)
parser.add_argument("--clip", type=float, default=1e-3)
parser.add_argument("--epochs", type=int, default=7)
a = parser.parse_args([])
L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
L.Trainer(max_epochs=a.epochs, gradient_clip_val=a.clip, accelerator="cpu", logger=False, enable_checkpointing=False,
          enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0).fit(LitCNN(a.lr), Shapes(25))
