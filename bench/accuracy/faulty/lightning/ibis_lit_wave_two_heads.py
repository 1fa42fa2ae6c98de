# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: lightning
# split: held
# needs: lightning
import logging
import os

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
SEED = int(os.environ.get("SEED", 0))


class WaveModule(L.LightningModule):
    """one trunk with two heads: which wave it is, and its amplitude; trunk and heads have their own optimisers"""

    def __init__(self, lr_trunk=0.02, lr_heads=0.05):
        super().__init__()
        self.automatic_optimization = False
        self.save_hyperparameters()
        self.trunk = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
        self.kind = nn.Linear(32, 4)
        self.amp = nn.Linear(32, 1)
        self.history = []

    def _losses(self, batch):
        x, k, a = batch
        h = self.trunk(x)
        return F.cross_entropy(self.kind(h), k), F.mse_loss(self.amp(h).squeeze(1), a), self.kind(h)

    def training_step(self, batch, batch_idx):
        opt_trunk, opt_heads = self.optimizers()
        ce, mse, _ = self._losses(batch)
        loss = ce + 0.5 * mse
        self.manual_backward(loss)
        opt_trunk.step()
        opt_heads.step()
        self.history.append(loss.item())
        self.log("train_loss", loss)

    def on_train_epoch_end(self):
        n = len(self.history)
        print(f"epoch {self.current_epoch}: train {sum(self.history) / n:.4f} last {self.history[-1]:.4f}")
        self.history.clear()

    def validation_step(self, batch, batch_idx):
        ce, mse, logits = self._losses(batch)
        acc = (logits.argmax(1) == batch[1]).float().mean()
        print(f"  val ce {ce:.4f} mse {mse:.4f} acc {acc:.3f}")

    def configure_optimizers(self):
        heads = list(self.kind.parameters()) + list(self.amp.parameters())
        return (torch.optim.SGD(self.trunk.parameters(), lr=self.hparams.lr_trunk),
                torch.optim.SGD(heads, lr=self.hparams.lr_heads))


def waves(n, g):
    k = torch.randint(0, 4, (n,), generator=g)
    a = 0.5 + 1.5 * torch.rand(n, generator=g)
    t = torch.arange(32) / 32
    ph = 6.28 * 0.15 * torch.rand(n, 1, generator=g)
    s = torch.sin(6.28 * (k[:, None] + 1) * t[None] + ph)
    x = a[:, None] * s + 0.2 * torch.randn(n, 32, generator=g)
    return x, k, (a - 1.25) / 0.43


L.seed_everything(SEED, verbose=False)
gen = torch.Generator().manual_seed(SEED)
train = DataLoader(TensorDataset(*waves(1280, gen)), batch_size=32, shuffle=True)
val = DataLoader(TensorDataset(*waves(300, gen)), batch_size=300)
trainer = L.Trainer(max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(WaveModule(), train, val)
