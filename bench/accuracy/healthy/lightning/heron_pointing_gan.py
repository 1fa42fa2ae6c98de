# fault: none
# family: lightning
# split: held
# needs: lightning
import logging
import os
import warnings

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class PointingGAN(pl.LightningModule):
    """Pointing errors of a telescope (a tilted, shifted cloud); manual optimisation, two optimisers, non-saturating loss."""

    def __init__(self, latent=4, lr=1e-3):
        super().__init__()
        self.automatic_optimization = False
        self.latent, self.lr = latent, lr
        self.G = nn.Sequential(nn.Linear(latent, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
        self.D = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))

    def sample(self, n):
        return self.G(torch.randn(n, self.latent))

    def training_step(self, batch, i):
        real, = batch
        g_opt, d_opt = self.optimizers()
        fake = self.sample(len(real))
        self.toggle_optimizer(d_opt)
        d_loss = F.softplus(-self.D(real)).mean() + F.softplus(self.D(fake.detach())).mean()
        d_opt.zero_grad()
        self.manual_backward(d_loss)
        d_opt.step()
        self.untoggle_optimizer(d_opt)

        self.toggle_optimizer(g_opt)
        g_loss = F.softplus(-self.D(self.sample(len(real)))).mean()
        g_opt.zero_grad()
        self.manual_backward(g_loss)
        g_opt.step()
        self.untoggle_optimizer(g_opt)
        self.log_dict({"d_loss": d_loss, "g_loss": g_loss})

    def on_train_epoch_end(self):
        with torch.no_grad():
            x = self.sample(1000)
        if self.current_epoch % 3 == 0:
            print(self.current_epoch, {k: round(v.item(), 3) for k, v in self.trainer.callback_metrics.items()},
                  "mean", [round(v, 2) for v in x.mean(0).tolist()],
                  "covariance", [round(v, 2) for v in torch.cov(x.T).flatten().tolist()])

    def configure_optimizers(self):
        return (torch.optim.Adam(self.G.parameters(), self.lr, betas=(0.5, 0.99)),
                torch.optim.Adam(self.D.parameters(), self.lr, betas=(0.5, 0.99)))


pl.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
mixing = torch.tensor([[0.9, 0.0], [0.5, 0.4]])
errors = torch.randn(4096, 2) @ mixing.T + torch.tensor([0.8, -0.5])
print("covariance of the data", [round(v, 2) for v in torch.cov(errors.T).flatten().tolist()])
trainer = pl.Trainer(max_epochs=14, accelerator="cpu", logger=False, enable_checkpointing=False,
                     enable_progress_bar=False, enable_model_summary=False)
trainer.fit(PointingGAN(), DataLoader(TensorDataset(errors), batch_size=128, shuffle=True))
