# fault: zero-grad-before-step
# cause_class: zero-grad, not-updated, optimizer
# family: lightning
# split: tune
# needs: lightning
"""Word pair similarity with two towers and two optimizers, stepped by hand."""
import os
import logging
import warnings
import torch
from torch import nn
import lightning as L
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)


class Pairs(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.left = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8))
        self.right = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8))
        self.scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, a, b):
        return self.scale * (self.left(a) * self.right(b)).sum(1)

    def training_step(self, batch, batch_idx):
        a, b, y = batch
        loss = nn.functional.binary_cross_entropy_with_logits(self(a, b), y)
        optimizers = self.optimizers()
        self.manual_backward(loss)
        for opt in optimizers:
            opt.zero_grad()
            opt.step()
        self.log("loss", loss, on_step=False, on_epoch=True)

    def validation_step(self, batch, batch_idx):
        a, b, y = batch
        self.log("acc", ((self(a, b) > 0).float() == y).float().mean())

    def on_train_epoch_end(self):
        print(self.current_epoch, {k: round(v.item(), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return [torch.optim.Adam([*self.left.parameters(), self.scale], lr=2e-3),
                torch.optim.Adam(self.right.parameters(), lr=2e-3)]


a, b = torch.randn(2, 1600, 12)
y = ((a @ torch.randn(12, 12) * b).sum(1) > 0).float()
train = DataLoader(TensorDataset(a[:1300], b[:1300], y[:1300]), batch_size=32, shuffle=True)
val = DataLoader(TensorDataset(a[1300:], b[1300:], y[1300:]), batch_size=300)
L.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
          enable_model_summary=False, num_sanity_val_steps=0).fit(Pairs(), train, val)
