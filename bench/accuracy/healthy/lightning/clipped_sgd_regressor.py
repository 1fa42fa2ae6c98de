# fault: none
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

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore")
pl.seed_everything(int(os.environ.get("SEED", "0")))


def concrete(n):
    x = torch.rand(n, 7) * 2 - 1
    y = 2 * x[:, 0] + x[:, 1] * x[:, 2] * 2 + torch.cos(4 * x[:, 3]) + 0.1 * torch.randn(n)
    return x, (y / 1.6).unsqueeze(1)


class Strength(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(7, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))

    def training_step(self, batch, _):
        x, y = batch
        loss = F.mse_loss(self.net(x), y, reduction="sum")
        self.log("train", loss / len(x), on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val", F.mse_loss(self.net(x), y))

    def on_train_epoch_end(self):
        print({k: round(v.item(), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)
        return [opt], [torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.trainer.max_epochs)]


x, y = concrete(1500)
trainer = pl.Trainer(max_epochs=12, gradient_clip_val=0.25, accelerator="cpu", logger=False, enable_checkpointing=False,
                     enable_progress_bar=False, enable_model_summary=False)
trainer.fit(Strength(), DataLoader(TensorDataset(x[:1200], y[:1200]), 32, shuffle=True),
            DataLoader(TensorDataset(x[1200:], y[1200:]), 300))
