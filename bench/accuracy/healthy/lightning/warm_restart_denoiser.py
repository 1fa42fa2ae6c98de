# fault: none
# family: lightning
# split: held
# needs: lightning
import logging
import math
import os
import warnings
import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", "0")))


class Waves(Dataset):
    def __init__(self, n, length=48):
        t = torch.linspace(0, 1, length)
        f = 1 + 4 * torch.rand(n, 1)
        self.clean = torch.sin(2 * math.pi * (f * t + torch.rand(n, 1)))

    def __len__(self):
        return len(self.clean)

    def __getitem__(self, i):
        c = self.clean[i]
        return c + 0.5 * torch.randn_like(c), c


class Denoiser(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(48, 64), nn.ELU(), nn.Linear(64, 16))
        self.dec = nn.Sequential(nn.ELU(), nn.Linear(16, 64), nn.ELU(), nn.Linear(64, 48))

    def training_step(self, batch, _):
        noisy, clean = batch
        loss = F.l1_loss(self.dec(self.enc(noisy)), clean)
        self.log("train", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        noisy, clean = batch
        self.log("val", F.l1_loss(self.dec(self.enc(noisy)), clean))

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"{self.current_epoch} train {m['train']:.4f} val {m['val']:.4f} lr {self.lr_schedulers().get_last_lr()[0]:.5f}")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=4e-3)
        s = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=64, T_mult=2, eta_min=1e-6)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": s, "interval": "step"}}


trainer = L.Trainer(max_epochs=14, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False)
trainer.fit(Denoiser(), DataLoader(Waves(1024), 32, shuffle=True), DataLoader(Waves(256), 256))
