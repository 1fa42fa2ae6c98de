# fault: learning-rate-too-low
# cause_class: learning-rate, optimizer, epochs
# family: lightning
# split: held
# needs: lightning
import logging
import os
import warnings

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
SEED = int(os.environ.get("SEED", 0))
L.seed_everything(SEED, verbose=False)


def blobs(n, seed):
    g = torch.Generator().manual_seed(seed)
    centres = torch.randn(18, 10, generator=torch.Generator().manual_seed(99)) * 1.2
    which = torch.randint(0, 18, (n,), generator=g)
    return TensorDataset(centres[which] + 0.5 * torch.randn(n, 10, generator=g), which % 6)


class Wine(L.LightningModule):
    def __init__(self, lr=0.02, gamma=0.8):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 6))
        self.log_loss = []

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log_loss.append(loss.item())
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val", F.cross_entropy(self.net(x), y))

    def on_validation_epoch_end(self):
        if self.log_loss:
            print(f"epoch {self.current_epoch} train {sum(self.log_loss[-20:]) / 20:.4f} val {self.trainer.callback_metrics['val']:.4f}")

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9)
        sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=self.hparams.gamma)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


tr = L.Trainer(max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False,
               enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
tr.fit(Wine(), DataLoader(blobs(1280, SEED + 1), 32, shuffle=True), DataLoader(blobs(400, SEED + 2), 100))
