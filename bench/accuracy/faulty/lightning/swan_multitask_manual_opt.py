# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: lightning
# split: held
# needs: lightning
"""Two heads with their own optimizers on a shared trunk, manual optimization."""
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
L.seed_everything(int(os.environ.get("SEED", "0")), verbose=False)


class Shapes(L.LightningDataModule):
    def setup(self, stage=None):
        n = 1536
        z = torch.randn(n, 6)
        mix = torch.randn(6, 20)
        x = torch.tanh(z @ mix) + 0.05 * torch.randn(n, 20)
        kind = (z[:, 0] * z[:, 1] > 0).long() + 2 * (z[:, 2] > 0).long()
        size = torch.sin(2 * z[:, 3]) + 0.5 * z[:, 4]
        self.tr = TensorDataset(x[:1280], kind[:1280], size[:1280])
        self.va = TensorDataset(x[1280:], kind[1280:], size[1280:])

    def train_dataloader(self):
        return DataLoader(self.tr, batch_size=64, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.va, batch_size=256)


class TwoHeads(L.LightningModule):
    def __init__(self, lr=0.1):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.trunk = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.kind = nn.Linear(64, 4)
        self.size = nn.Linear(64, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.kind(h), self.size(h).squeeze(-1)

    def losses(self, batch):
        x, k, s = batch
        pk, ps = self(x)
        return F.cross_entropy(pk, k), F.mse_loss(ps, s), (pk.argmax(1) == k).float().mean()

    def training_step(self, batch, batch_idx):
        opt_trunk, opt_heads = self.optimizers()
        ce, mse, _ = self.losses(batch)
        self.manual_backward(ce + mse)
        self.clip_gradients(opt_trunk, gradient_clip_val=10.0, gradient_clip_algorithm="norm")
        opt_trunk.step()
        opt_heads.step()
        self.log_dict({"ce": ce, "mse": mse}, on_epoch=True, on_step=False)

    def validation_step(self, batch, batch_idx):
        ce, mse, acc = self.losses(batch)
        self.log_dict({"val_ce": ce, "val_mse": mse, "val_acc": acc})

    def on_validation_epoch_end(self):
        if not self.trainer.sanity_checking:
            m = {k: round(float(v), 4) for k, v in self.trainer.callback_metrics.items()}
            print(self.current_epoch, m)

    def configure_optimizers(self):
        heads = list(self.kind.parameters()) + list(self.size.parameters())
        return (torch.optim.SGD(self.trunk.parameters(), lr=self.hparams.lr),
                torch.optim.SGD(heads, lr=self.hparams.lr))


trainer = L.Trainer(max_epochs=12, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False)
trainer.fit(TwoHeads(), datamodule=Shapes())
