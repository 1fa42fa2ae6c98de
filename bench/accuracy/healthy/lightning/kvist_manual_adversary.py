# fault: none
# family: lightning
# split: held
# needs: lightning
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
SEED = int(os.environ.get("SEED", 0))
L.seed_everything(SEED, verbose=False)


class FairClassifier(L.LightningModule):
    """Predicts the label, while an adversary tries to read the group from the code; its loss rises as the code forgets."""

    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.enc = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8))
        self.cls = nn.Linear(8, 1)
        self.adv = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 1))

    def training_step(self, batch, _):
        x, y, g = batch
        om, oa = self.optimizers()
        z = self.enc(x)
        la = F.binary_cross_entropy_with_logits(self.adv(z.detach()).squeeze(1), g)
        oa.zero_grad()
        self.manual_backward(la)
        oa.step()
        self.toggle_optimizer(om)
        lc = F.binary_cross_entropy_with_logits(self.cls(z).squeeze(1), y)
        lz = F.binary_cross_entropy_with_logits(self.adv(z).squeeze(1), g)
        om.zero_grad()
        self.manual_backward(lc - 0.3 * lz)
        om.step()
        self.untoggle_optimizer(om)
        self.log_dict({"task": lc, "adversary": la}, on_step=False, on_epoch=True)

    def validation_step(self, batch, _):
        x, y, g = batch
        z = self.enc(x)
        self.log("val_acc", ((self.cls(z).squeeze(1) > 0) == (y > 0.5)).float().mean())
        self.log("val_group", ((self.adv(z).squeeze(1) > 0) == (g > 0.5)).float().mean())

    def on_train_epoch_end(self):
        print(self.current_epoch, {k: round(v.item(), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        main = list(self.enc.parameters()) + list(self.cls.parameters())
        return torch.optim.Adam(main, 1e-3), torch.optim.Adam(self.adv.parameters(), 3e-3)


def people(n):
    g = torch.randint(0, 2, (n,)).float()
    x = torch.randn(n, 10)
    x[:, 5:7] += 1.2 * (g[:, None] * 2 - 1)
    y = ((x[:, 0] + x[:, 1] * x[:, 2] + 0.6 * x[:, 3] + 0.2 * torch.randn(n)) > 0).float()
    return TensorDataset(x, y, g)


L.Trainer(max_epochs=9, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
          enable_model_summary=False, num_sanity_val_steps=0).fit(
    FairClassifier(), DataLoader(people(1920), 48, shuffle=True), DataLoader(people(500), 250))
