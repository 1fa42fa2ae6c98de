# fault: one-class-cross-entropy
# cause_class: loss, output-activation, structure
# family: lightning
# split: held
# needs: lightning
import os
import warnings
import logging
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
import lightning as L

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", "0")))


class ChurnData(L.LightningDataModule):
    def setup(self, stage=None):
        x = torch.randn(2400, 14)
        score = x[:, 0] * x[:, 1] + 1.2 * x[:, 2] - 0.8 * x[:, 3].abs() + 0.4
        y = (score + 0.3 * torch.randn(2400) > 0).float().unsqueeze(1)
        self.tr, self.va = TensorDataset(x[:2000], y[:2000]), TensorDataset(x[2000:], y[2000:])

    def train_dataloader(self):
        return DataLoader(self.tr, batch_size=64, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.va, batch_size=200)


class Churn(L.LightningModule):
    def __init__(self, n_in=14, hidden=48, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.body = nn.Sequential(nn.Linear(n_in, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.head = nn.Linear(hidden, 1)
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, x):
        return self.head(self.body(x))

    def _step(self, batch, name):
        x, y = batch
        out = self(x)
        loss = self.criterion(out, y)
        acc = ((out > 0).float() == y).float().mean()
        self.log_dict({f"{name}_loss": loss, f"{name}_acc": acc}, on_epoch=True, on_step=False)
        return loss

    def training_step(self, batch, _):
        return self._step(batch, "train")

    def validation_step(self, batch, _):
        self._step(batch, "val")

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


trainer = L.Trainer(max_epochs=6, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(Churn(), datamodule=ChurnData())
print({k: round(float(v), 4) for k, v in trainer.callback_metrics.items()})
