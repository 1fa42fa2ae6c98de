# fault: labels-outside-range
# cause_class: labels, loss
# family: lightning
# split: tune
# needs: lightning
import os
import warnings
import logging
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import lightning as L

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", "0")), verbose=False)


class MarginData(L.LightningDataModule):
    def setup(self, stage=None):
        x = torch.randn(2000, 6)
        side = x[:, 0] + x[:, 1] * x[:, 2] - 0.2
        y = torch.sign(side)
        self.tr = TensorDataset(x[:1600], y[:1600])
        self.va = TensorDataset(x[1600:], y[1600:])

    def train_dataloader(self):
        return DataLoader(self.tr, batch_size=32, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.va, batch_size=200)


class BinaryNet(L.LightningModule):
    def __init__(self, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
        self.criterion = nn.BCEWithLogitsLoss()
        self.seen = []

    def forward(self, x):
        return self.net(x).squeeze(1)

    def training_step(self, batch, _):
        x, y = batch
        loss = self.criterion(self(x), y)
        self.log("train_loss", loss)
        self.seen.append(loss.item())
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        out = self(x)
        self.log("val_loss", self.criterion(out, y))

    def on_train_epoch_end(self):
        print(f"epoch {self.current_epoch} train {sum(self.seen) / len(self.seen):.3f}")
        self.seen.clear()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


trainer = L.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False)
trainer.fit(BinaryNet(), datamodule=MarginData())
