# fault: eval-in-train-mode
# cause_class: eval-mode, structure
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


def gestures(n):
    y = torch.randint(0, 5, (n,))
    t = torch.linspace(0, 1, 32)
    f = (2 + y.float())[:, None]
    sig = torch.sin(2 * torch.pi * f * t + torch.rand(n, 1) * 6.28)
    return torch.stack([sig, sig.roll(3, 1)], 1) + 1.0 * torch.randn(n, 2, 32), y


class HeldOutReport(L.Callback):
    """Reports the held-out set after every epoch of training."""

    def __init__(self, loader):
        self.loader = loader

    @torch.no_grad()
    def on_train_epoch_end(self, trainer, module):
        loss = hit = n = 0
        for x, y in self.loader:
            out = module(x)
            loss += F.cross_entropy(out, y, reduction="sum").item()
            hit += (out.argmax(1) == y).sum().item()
            n += len(y)
        print(f"epoch {trainer.current_epoch} train {module.last:.4f} held-out {loss / n:.4f} acc {hit / n:.3f}")


class Gesture(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(
            nn.Conv1d(2, 24, 5, padding=2), nn.ReLU(), nn.Dropout(0.4),
            nn.Conv1d(24, 24, 5, stride=2, padding=2), nn.ReLU(), nn.Flatten(),
            nn.Dropout(0.5), nn.Linear(24 * 16, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 5))

    def forward(self, x):
        return self.f(x)

    def training_step(self, b, i):
        loss = F.cross_entropy(self(b[0]), b[1])
        self.last = loss.item()
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=2e-3)


train, test = TensorDataset(*gestures(1200)), TensorDataset(*gestures(400))
L.Trainer(max_epochs=7, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
          enable_model_summary=False, callbacks=[HeldOutReport(DataLoader(test, 50))]).fit(
    Gesture(), DataLoader(train, 32, shuffle=True))
