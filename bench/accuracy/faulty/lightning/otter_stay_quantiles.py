# fault: broadcast-targets
# cause_class: labels, loss, structure
# family: lightning
# split: held
# needs: lightning
import logging
import os
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
SEED = int(os.environ.get("SEED", 0))
L.seed_everything(SEED, verbose=False)


def admissions(n=1600, d=12):
    """Vital signs at admission (standardised) and log days of stay, standardised."""
    x = torch.randn(n, d)
    stay = 0.9 * x[:, 0] - 0.7 * x[:, 1] * (x[:, 2] > 0) + 0.5 * x[:, 3].abs() + 0.2 * torch.randn(n)
    return x, (stay - stay.mean()) / stay.std()


class Pinball(nn.Module):
    def __init__(self, q):
        super().__init__()
        self.q = q

    def forward(self, pred, target):
        err = target - pred
        return torch.maximum(self.q * err, (self.q - 1) * err).mean()


class StayModel(L.LightningModule):
    def __init__(self, d=12, width=48, lr=3e-3, quantile=0.5):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(d, width), nn.GELU(), nn.LayerNorm(width),
                                 nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))
        self.loss = Pinball(quantile)
        self.history = []

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, _):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("train_loss", loss, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val_loss", self.loss(self(x), y))
        self.log("val_mae_days", (self(x)[:, 0] - y).abs().mean())

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        print({k: round(float(v), 3) for k, v in m.items()})

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        return [opt], [torch.optim.lr_scheduler.CosineAnnealingLR(opt, 12, eta_min=1e-4)]


x, y = admissions()
train, val = random_split(TensorDataset(x, y), [1280, 320])
trainer = L.Trainer(max_epochs=12, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(StayModel(), DataLoader(train, 64, shuffle=True), DataLoader(val, 160))
