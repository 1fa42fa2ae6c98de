# fault: none
# family: lightning
# split: tune
# needs: lightning
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


class GAN(L.LightningModule):
    def __init__(self, z=4, r1=0.1):
        super().__init__()
        self.automatic_optimization = False
        self.z, self.r1 = z, r1
        self.g = nn.Sequential(nn.Linear(z, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 2))
        self.d = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
        self.log_ = []

    def sample(self, n):
        return self.g(torch.randn(n, self.z))

    def training_step(self, batch, _):
        real = batch[0].requires_grad_(True)
        og, od = self.optimizers()
        self.toggle_optimizer(od)
        pr, pf = self.d(real), self.d(self.sample(len(real)).detach())
        grad, = torch.autograd.grad(pr.sum(), real, create_graph=True)
        dl = F.softplus(-pr).mean() + F.softplus(pf).mean() + self.r1 / 2 * grad.pow(2).sum(1).mean()
        od.zero_grad()
        self.manual_backward(dl)
        od.step()
        self.untoggle_optimizer(od)
        self.toggle_optimizer(og)
        gl = F.softplus(-self.d(self.sample(len(real)))).mean()
        og.zero_grad()
        self.manual_backward(gl)
        og.step()
        self.untoggle_optimizer(og)
        self.log_.append((dl.item(), gl.item()))

    def on_train_epoch_end(self):
        with torch.no_grad():
            s = self.sample(1000)
        dl, gl = (sum(v) / len(self.log_) for v in zip(*self.log_))
        print(f"{self.current_epoch} d {dl:.3f} g {gl:.3f} mean {s.mean(0).tolist()} off the curve {(s[:, 1] - torch.sin(2 * s[:, 0])).abs().mean():.3f}")
        self.log_.clear()

    def configure_optimizers(self):
        return (torch.optim.Adam(self.g.parameters(), lr=1e-3, betas=(0.0, 0.99)),
                torch.optim.Adam(self.d.parameters(), lr=2e-3, betas=(0.0, 0.99)))


L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
t = torch.rand(3200, 1) * 3 - 1.5
points = torch.cat([t, torch.sin(2 * t) + 0.05 * torch.randn_like(t)], 1)
L.Trainer(max_epochs=12, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
          enable_model_summary=False).fit(GAN(), DataLoader(TensorDataset(points), 64, shuffle=True, drop_last=True))
