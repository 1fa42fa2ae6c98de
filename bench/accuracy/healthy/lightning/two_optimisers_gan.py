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
L.seed_everything(int(os.environ.get("SEED", "0")))


class LitGAN(L.LightningModule):
    """Non-saturating GAN on a crescent of points."""

    def __init__(self, z=6):
        super().__init__()
        self.automatic_optimization = False
        self.z = z
        self.g = nn.Sequential(nn.Linear(z, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
        self.d = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))

    def training_step(self, batch, _):
        (x,) = batch
        og, od = self.optimizers()
        fake = self.g(torch.randn(len(x), self.z))

        self.toggle_optimizer(od)
        d_loss = F.softplus(-self.d(x)).mean() + F.softplus(self.d(fake.detach())).mean()
        od.zero_grad()
        self.manual_backward(d_loss)
        od.step()
        self.untoggle_optimizer(od)

        self.toggle_optimizer(og)
        g_loss = F.softplus(-self.d(self.g(torch.randn(len(x), self.z)))).mean()
        og.zero_grad()
        self.manual_backward(g_loss)
        og.step()
        self.untoggle_optimizer(og)
        self.log_dict({"d": d_loss, "g": g_loss}, on_step=False, on_epoch=True)

    def on_train_epoch_end(self):
        with torch.no_grad():
            s = self.g(torch.randn(300, self.z))
            dist = torch.cdist(s, DATA).min(1).values.mean().item()
        m = self.trainer.callback_metrics
        print(f"{self.current_epoch} d {m['d']:.3f} g {m['g']:.3f} distance {dist:.3f} spread {s.std(0).tolist()}")

    def configure_optimizers(self):
        return (torch.optim.Adam(self.g.parameters(), 1e-3, betas=(0.5, 0.99)),
                torch.optim.Adam(self.d.parameters(), 1e-3, betas=(0.5, 0.99)))


a = torch.rand(1280) * 3.14
DATA = torch.stack([a.cos(), a.sin()], 1) * 1.5 + 0.05 * torch.randn(1280, 2)
DATA = DATA - DATA.mean(0)
trainer = L.Trainer(max_epochs=30, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False)
trainer.fit(LitGAN(), DataLoader(TensorDataset(DATA), 64, shuffle=True))
