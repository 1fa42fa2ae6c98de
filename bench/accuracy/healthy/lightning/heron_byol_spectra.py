# fault: none
# family: lightning
# split: held
# needs: lightning
"""BYOL on small spectra; a linear probe afterwards says what the encoder knows."""
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
GRID = torch.linspace(0, 1, 48)


def spectra(n):
    y = torch.randint(0, 4, (n,))
    centres = torch.tensor([[0.2, 0.5], [0.2, 0.8], [0.4, 0.6], [0.5, 0.9]])[y]
    centres = centres + 0.02 * torch.randn_like(centres)
    height = 0.6 + 0.8 * torch.rand(n, 2)
    x = (height[:, :, None] * torch.exp(-((GRID - centres[:, :, None]) / 0.05) ** 2)).sum(1)
    return (x - 0.17) / 0.3, y


def augment(x):
    gain = 0.7 + 0.6 * torch.rand(len(x), 1)
    keep = (torch.rand_like(x) > 0.1).float()
    return x * gain * keep + 0.2 * torch.randn_like(x)


def mlp(i, h, o):
    return nn.Sequential(nn.Linear(i, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Linear(h, o))


class BYOL(L.LightningModule):
    def __init__(self, tau=0.98):
        super().__init__()
        self.online = nn.Sequential(mlp(48, 64, 32), mlp(32, 64, 16))
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.predictor = mlp(16, 32, 16)
        self.tau = tau

    def training_step(self, batch, i):
        a, b = augment(batch[0]), augment(batch[0])
        with torch.no_grad():
            ta, tb = self.target(a), self.target(b)
        pa, pb = self.predictor(self.online(a)), self.predictor(self.online(b))
        loss = 4 - 2 * F.cosine_similarity(pa, tb).mean() - 2 * F.cosine_similarity(pb, ta).mean()
        self.log("loss", loss, on_epoch=True)
        return loss

    def on_train_batch_end(self, *_):
        with torch.no_grad():
            for p, q in zip(self.online.parameters(), self.target.parameters()):
                q.lerp_(p, 1 - self.tau)

    def on_train_epoch_end(self):
        print(self.current_epoch, round(self.trainer.callback_metrics["loss_epoch"].item(), 3))

    def configure_optimizers(self):
        return torch.optim.AdamW([*self.online.parameters(), *self.predictor.parameters()], lr=2e-3)


x, y = spectra(2000)
model = BYOL()
L.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
          enable_model_summary=False).fit(model, DataLoader(TensorDataset(x), batch_size=64, shuffle=True, drop_last=True))
model.eval()
with torch.no_grad():
    h = model.online[0](x)
    onehot = F.one_hot(y[:1500], 4).float()
    h = torch.cat([h, torch.ones(len(h), 1)], 1)
    w = torch.linalg.lstsq(h[:1500], onehot).solution
    print("linear probe", ((h[1500:] @ w).argmax(1) == y[1500:]).float().mean().item())
