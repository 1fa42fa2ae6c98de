# fault: none
# family: lightning
# split: held
# needs: lightning
import logging
import os
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
K = 5


def faces(n):
    g = torch.Generator().manual_seed(2)
    proto = torch.randn(K, 3, 24, generator=g)
    y, v = torch.randint(K, (n,)), torch.randint(3, (n,))
    return TensorDataset(proto[y, v] + 0.9 * torch.randn(n, 24), y)


class MixupNet(L.LightningModule):
    def __init__(self, alpha=0.4):
        super().__init__()
        self.beta = torch.distributions.Beta(alpha, alpha)
        self.net = nn.Sequential(nn.Linear(24, 96), nn.BatchNorm1d(96), nn.ReLU(), nn.Dropout(0.2),
                                 nn.Linear(96, 96), nn.BatchNorm1d(96), nn.ReLU(), nn.Linear(96, K))

    def training_step(self, batch, _):
        x, y = batch
        lam, other = self.beta.sample(), torch.randperm(len(x))
        out = self.net(lam * x + (1 - lam) * x[other])
        loss = lam * F.cross_entropy(out, y) + (1 - lam) * F.cross_entropy(out, y[other])
        self.log("train", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        out = self.net(x)
        self.log_dict({"val": F.cross_entropy(out, y), "acc": (out.argmax(1) == y).float().mean()})

    def on_train_epoch_end(self):
        print(self.current_epoch, {k: round(float(v), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1.5e-3, weight_decay=0.02)


trainer = L.Trainer(max_epochs=20, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                    enable_model_summary=False, callbacks=[EarlyStopping("val", patience=3, min_delta=0.002)])
trainer.fit(MixupNet(), DataLoader(faces(1600), batch_size=40, shuffle=True, drop_last=True), DataLoader(faces(500), batch_size=250))
print("stopped after epoch", trainer.current_epoch)
