# fault: none
# family: lightning
# split: held
# needs: lightning
"""Depth, normals and class from one trunk, weighted by learnt homoscedastic uncertainty (Kendall et al.)."""
import logging
import os
import warnings

import lightning as L
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", "0")), verbose=False)


def scenes(n, gen):
    z = torch.randn(n, 5, generator=gen)
    A = torch.randn(5, 24, generator=torch.Generator().manual_seed(5))
    x = torch.sin(z @ A * 0.6) + 0.05 * torch.randn(n, 24, generator=gen)
    depth = z[:, 0] * 0.5 + 0.3 * torch.cos(2 * z[:, 1]) + 0.02 * torch.randn(n, generator=gen)
    normal = F.normalize(z[:, 1:4], dim=1)
    cls = (z[:, 3] > 0).long() + (z[:, 4] > 0.5).long()
    return TensorDataset(x, depth, normal, cls)


class Trunk(L.LightningModule):
    def __init__(self, width=96, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.body = nn.Sequential(nn.Linear(24, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.depth, self.normal, self.cls = nn.Linear(width, 1), nn.Linear(width, 3), nn.Linear(width, 3)
        self.log_var = nn.Parameter(torch.zeros(3))

    def step(self, batch):
        x, d, n, c = batch
        h = self.body(x)
        return torch.stack([F.mse_loss(self.depth(h).squeeze(-1), d),
                            (1 - F.cosine_similarity(self.normal(h), n)).mean(),
                            F.cross_entropy(self.cls(h), c)])

    def training_step(self, batch, _):
        raw = self.step(batch)
        loss = (torch.exp(-self.log_var) * raw + 0.5 * self.log_var).sum()
        self.log("loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        for name, v in zip(("depth", "normal", "cls"), self.step(batch)):
            self.log("val_" + name, v)

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        if "loss" in m:
            print(self.current_epoch, {k: round(v.item(), 4) for k, v in m.items()}, [round(v, 2) for v in self.log_var.tolist()])

    def configure_optimizers(self):
        slow = [p for n, p in self.named_parameters() if n != "log_var"]
        opt = torch.optim.AdamW([{"params": slow, "weight_decay": 1e-3}, {"params": [self.log_var], "lr": 1e-2, "weight_decay": 0.0}],
                                lr=self.hparams.lr)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.trainer.estimated_stepping_batches)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


g = torch.Generator().manual_seed(int(os.environ.get("SEED", "0")))
train = DataLoader(scenes(2048, g), batch_size=64, shuffle=True)
val = DataLoader(scenes(512, g), batch_size=512)
L.Trainer(max_epochs=12, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
          enable_model_summary=False, gradient_clip_val=0.5, num_sanity_val_steps=0).fit(Trunk(), train, val)
