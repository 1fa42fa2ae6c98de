# fault: none
# family: lightning
# split: held
# needs: lightning
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
SEED = int(os.environ.get("SEED", 0))
L.seed_everything(SEED, verbose=False)


def wearable(n, length=48):
    """Accelerometer windows of four activities."""
    y = torch.randint(0, 4, (n,))
    t = torch.arange(length) / length * 6.28
    f = torch.tensor([1.0, 2.0, 4.0, 7.0])[y][:, None]
    ph = torch.rand(n, 1) * 6.28
    x = torch.sin(f * t + ph) + 0.5 * torch.sin(2 * f * t + 2 * ph) * (y[:, None] % 2)
    return (x + 0.3 * torch.randn(n, length))[:, None], y


def augment(x):
    x = torch.roll(x, int(torch.randint(0, x.shape[-1], ())), -1)
    return x * (0.8 + 0.4 * torch.rand(len(x), 1, 1)) + 0.1 * torch.randn_like(x)


def mlp(i, h, o):
    return nn.Sequential(nn.Linear(i, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Linear(h, o))


class Encoder(nn.Module):
    def __init__(self, out=32):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(1, 16, 7, 2, 3), nn.BatchNorm1d(16), nn.ReLU(),
                                  nn.Conv1d(16, 32, 5, 2, 2), nn.BatchNorm1d(32), nn.ReLU(),
                                  nn.AdaptiveAvgPool1d(1), nn.Flatten())
        self.proj = mlp(32, 48, out)

    def forward(self, x):
        return self.proj(self.conv(x))


class BYOL(L.LightningModule):
    def __init__(self, tau=0.98, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.online, self.predictor = Encoder(), mlp(32, 48, 32)
        self.target = copy.deepcopy(self.online).requires_grad_(False)

    def side(self, a, b):
        p = F.normalize(self.predictor(self.online(a)), dim=1)
        with torch.no_grad():
            z = F.normalize(self.target(b), dim=1)
        return 2 - 2 * (p * z).sum(1).mean()

    def training_step(self, batch, _):
        a, b = augment(batch[0]), augment(batch[0])
        loss = 0.5 * (self.side(a, b) + self.side(b, a))
        self.log("loss", loss, on_step=False, on_epoch=True)
        return loss

    @torch.no_grad()
    def on_train_batch_end(self, *_):
        for t, o in zip(self.target.parameters(), self.online.parameters()):
            t.lerp_(o, 1 - self.hparams.tau)

    def on_train_epoch_end(self):
        print("epoch", self.current_epoch, round(float(self.trainer.callback_metrics["loss"]), 4))

    def configure_optimizers(self):
        return torch.optim.AdamW([*self.online.parameters(), *self.predictor.parameters()],
                                 lr=self.hparams.lr, weight_decay=1e-4)


x, y = wearable(1024)
model = BYOL()
trainer = L.Trainer(max_epochs=12, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False)
trainer.fit(model, DataLoader(TensorDataset(x), 64, shuffle=True, drop_last=True))

# nearest class mean on the frozen features
model.eval()
with torch.no_grad():
    f, (xt, yt) = model.online.conv(x), wearable(400)
    mean = torch.stack([f[y == c].mean(0) for c in range(4)])
    acc = (torch.cdist(model.online.conv(xt), mean).argmin(1) == yt).float().mean()
print(f"nearest mean accuracy {acc.item():.3f}")
