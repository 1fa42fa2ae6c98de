# fault: not-in-optimiser
# cause_class: not-updated, optimizer, learning-rate
# family: lightning
# split: tune
# needs: lightning
"""Two-branch classifier: a branch for the spectrum, a branch for the envelope, a common head."""
import os
import logging
import warnings
import torch
from torch import nn
import lightning.pytorch as pl
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
pl.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
PROTOTYPES = torch.randn(10, 2, 24)


class Echoes(Dataset):
    def __init__(self, n):
        self.y = torch.randint(0, 10, (n,))
        self.x = PROTOTYPES[self.y] + 1.9 * torch.randn(n, 2, 24)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i, 0], self.x[i, 1], self.y[i]


def branch():
    return nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 6), nn.Tanh())


class TwoBranch(pl.LightningModule):
    def __init__(self, lr=2e-3):
        super().__init__()
        self.lr = lr
        self.spectrum = branch()
        self.envelope = branch()
        self.head = nn.Linear(12, 10)

    def forward(self, a, b):
        return self.head(torch.cat([self.spectrum(a), self.envelope(b)], 1))

    def training_step(self, batch, _):
        a, b, y = batch
        loss = nn.functional.cross_entropy(self(a, b), y)
        self.log("loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        a, b, y = batch
        self.log("acc", (self(a, b).argmax(1) == y).float().mean())

    def on_train_epoch_end(self):
        print({k: round(float(v), 3) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        groups = [{"params": self.spectrum.parameters(), "lr": self.lr / 2},
                  {"params": self.head.parameters()}]
        return torch.optim.AdamW(groups, lr=self.lr)


trainer = pl.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False,
                     enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(TwoBranch(), DataLoader(Echoes(1200), batch_size=32, shuffle=True), DataLoader(Echoes(400), batch_size=400))
