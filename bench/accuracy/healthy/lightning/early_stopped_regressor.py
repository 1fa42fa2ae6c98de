# fault: none
# family: lightning
# split: tune
# needs: lightning
"""Regression with early stopping, plateau schedule and checkpoint of the best epoch in a temporary folder."""
import os
import logging
import tempfile
import warnings
import torch
from torch import nn
import torch.nn.functional as F
import lightning as L
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Regressor(L.LightningModule):
    def __init__(self, lr=3e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(5, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, i):
        loss = F.huber_loss(self(batch[0]), batch[1])
        self.log("train", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, i):
        self.log("val", F.mse_loss(self(batch[0]), batch[1]))

    def on_train_epoch_end(self):
        if self.current_epoch % 3 == 0:
            print(self.current_epoch, {k: round(v.item(), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.3, patience=2)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": plateau, "monitor": "val"}}


def friedman(n):
    x = torch.rand(n, 5)
    y = 10 * torch.sin(torch.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    return TensorDataset((x - 0.5) / 0.289, (y - 14.4) / 4.9 + 0.1 * torch.randn(n))


L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
with tempfile.TemporaryDirectory() as tmp:
    best = ModelCheckpoint(dirpath=tmp, monitor="val", mode="min")
    trainer = L.Trainer(max_epochs=24, accelerator="cpu", logger=False, callbacks=[best, EarlyStopping("val", patience=5)],
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(Regressor(), DataLoader(friedman(1000), batch_size=32, shuffle=True), DataLoader(friedman(300), batch_size=300))
    print("stopped after", trainer.current_epoch, "best", round(best.best_model_score.item(), 4))
