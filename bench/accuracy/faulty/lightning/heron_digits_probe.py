# fault: eval-in-train-mode
# cause_class: eval-mode
# family: lightning
# split: held
# needs: lightning, sklearn
import os
import logging
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
SEED = int(os.environ.get("SEED", 0))
L.seed_everything(SEED, verbose=False)


class HoldoutProbe(Callback):
    """A whole-set measure at the end of each epoch; batch averages of accuracies are not the accuracy."""

    def __init__(self, loader):
        self.loader = loader
        self.best = 0.0

    @torch.no_grad()
    def on_train_epoch_end(self, trainer, pl_module):
        losses, hits, n = 0.0, 0, 0
        for x, y in self.loader:
            out = pl_module(x)
            losses += F.cross_entropy(out, y, reduction="sum").item()
            hits += (out.argmax(1) == y).sum().item()
            n += len(y)
        self.best = max(self.best, hits / n)
        print(f"epoch {trainer.current_epoch} val_loss {losses / n:.3f} val_acc {hits / n:.3f}")


class Digits(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
                                  nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.Flatten())
        self.head = nn.Sequential(nn.Dropout(0.4), nn.Linear(32 * 16, 64), nn.ReLU(), nn.Dropout(0.4), nn.Linear(64, 10))

    def forward(self, x):
        return self.head(self.conv(x))

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
data = TensorDataset((images - images.mean()) / images.std(), torch.tensor(digits.target))
train, val = random_split(data, [1400, len(data) - 1400], generator=torch.Generator().manual_seed(SEED))
probe = HoldoutProbe(DataLoader(val, batch_size=32))
trainer = L.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                    enable_model_summary=False, callbacks=[probe])
trainer.fit(Digits(), DataLoader(train, batch_size=32, shuffle=True, drop_last=True))
print("best", round(probe.best, 3))
