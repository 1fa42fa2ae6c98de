# fault: none
# family: lightning
# split: held
# needs: lightning
"""BYOL with an EMA target on vectors whose nuisance directions are augmented away."""
import copy
import logging
import os
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
CENTRES = torch.randn(6, 16) * 1.5


def make(n):
    y = torch.randint(0, 6, (n,))
    return torch.cat([CENTRES[y] + 0.5 * torch.randn(n, 16), torch.randn(n, 8)], 1), y


def view(x):
    keep = (torch.rand_like(x) > 0.15).float()
    nuisance = torch.cat([torch.zeros(len(x), 16), torch.randn(len(x), 8)], 1)
    return x * keep + 0.2 * torch.randn_like(x) + nuisance


class BYOL(L.LightningModule):
    def __init__(self, emb=32, lr=0.05, tau=0.98):
        super().__init__()
        self.save_hyperparameters()
        self.online = nn.Sequential(nn.Linear(24, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, emb), nn.BatchNorm1d(emb))
        self.predictor = nn.Sequential(nn.Linear(emb, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, emb))
        self.target = copy.deepcopy(self.online).requires_grad_(False)

    def half(self, a, b):
        p = F.normalize(self.predictor(self.online(a)), dim=-1)
        with torch.no_grad():
            z = F.normalize(self.target(b), dim=-1)
        return 2 - 2 * (p * z).sum(-1).mean()

    def training_step(self, batch, _):
        a, b = view(batch[0]), view(batch[0])
        loss = self.half(a, b) + self.half(b, a)
        self.log("loss", loss, on_epoch=True, on_step=False)
        return loss

    def on_train_batch_end(self, *_):
        t = self.hparams.tau
        with torch.no_grad():
            for q, k in zip(self.online.parameters(), self.target.parameters()):
                k.lerp_(q, 1 - t)

    def on_train_epoch_end(self):
        self.eval()
        with torch.no_grad():
            za, zb = F.normalize(self.online(BANK[0])), F.normalize(self.online(QUERY[0]))
        self.train()
        acc = (BANK[1][(zb @ za.T).argmax(1)] == QUERY[1]).float().mean().item()
        print(f"epoch {self.current_epoch} loss {self.trainer.callback_metrics['loss'].item():.4f} kNN {acc:.3f} std {za.std(0).mean():.3f}")

    def configure_optimizers(self):
        params = list(self.online.parameters()) + list(self.predictor.parameters())
        opt = torch.optim.SGD(params, lr=self.hparams.lr, momentum=0.9, weight_decay=1e-4)
        return [opt], [torch.optim.lr_scheduler.CosineAnnealingLR(opt, 10)]


BANK, QUERY = make(400), make(200)
trainer = L.Trainer(max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False)
trainer.fit(BYOL(), DataLoader(TensorDataset(make(1920)[0]), 64, shuffle=True, drop_last=True))
