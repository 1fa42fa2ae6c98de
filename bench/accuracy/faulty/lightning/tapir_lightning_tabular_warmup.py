# fault: learning-rate-too-low
# cause_class: learning-rate
# family: lightning
# split: held
# needs: lightning
import logging
import os
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.f = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, x):
        return x + self.f(x)


class TabNet(L.LightningModule):
    def __init__(self, lr=1e-3, warmup=4000, width=32, classes=4):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(10, width), Block(width), Block(width), nn.Linear(width, classes))

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        out = self.net(x)
        self.log("val_loss", F.cross_entropy(out, y))
        self.log("val_acc", (out.argmax(1) == y).float().mean())

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch} val_loss {m['val_loss']:.4f} acc {m['val_acc']:.3f}")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=0.01)
        ramp = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / self.hparams.warmup))
        return {"optimizer": opt, "lr_scheduler": ramp}


def data(n):
    x = torch.randn(n, 10)
    y = (x[:, 0] * x[:, 1] > 0).long() * 2 + (x[:, 2] + x[:, 3].abs() > 0.7).long()
    return TensorDataset(x, y)


trainer = L.Trainer(max_epochs=7, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(TabNet(), DataLoader(data(3200), 32, shuffle=True), DataLoader(data(600), 200))
