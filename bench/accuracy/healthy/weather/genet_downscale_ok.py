# fault: none
# family: weather
# split: held
# needs: lightning
import logging
import os
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
import lightning as L

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def fields(n, coarse=6, up=3):
    """coarse temperature + orography -> fine temperature (lapse rate and a valley effect)"""
    c = torch.randn(n, 1, coarse, coarse)
    c = F.avg_pool2d(F.pad(c, (1, 1, 1, 1), mode="replicate"), 3, 1) * 2
    oro = F.interpolate(torch.randn(n, 1, 9, 9), size=coarse * up, mode="bilinear", align_corners=True)
    base = F.interpolate(c, scale_factor=up, mode="bilinear", align_corners=False)
    smooth = F.avg_pool2d(F.pad(oro, (2, 2, 2, 2), mode="replicate"), 5, 1)
    fine = base - 0.8 * oro + 0.9 * torch.relu(smooth - oro) + 0.05 * torch.randn_like(oro)
    return torch.cat([base, oro], 1), fine


class Downscaler(L.LightningModule):
    def __init__(self, ch=16, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Conv2d(2, ch, 5, padding=2), nn.SiLU(),
                                 nn.Conv2d(ch, ch, 3, padding=1), nn.SiLU(),
                                 nn.Conv2d(ch, 1, 3, padding=1))
        self.rmse = []

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, _):
        x, y = batch
        return F.mse_loss(self(x), y)

    def validation_step(self, batch, _):
        x, y = batch
        self.rmse.append(F.mse_loss(self(x), y).item())

    def on_validation_epoch_end(self):
        print(f"epoch {self.current_epoch:2d}  step {self.global_step:4d}  val rmse {(sum(self.rmse) / len(self.rmse)) ** 0.5:.4f}")
        self.rmse.clear()

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        # a bit less every epoch
        sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.85)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "epoch"}}


def main():
    L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
    tr, va = fields(640), fields(128)
    train = DataLoader(TensorDataset(*tr), batch_size=32, shuffle=True)
    valid = DataLoader(TensorDataset(*va), batch_size=64)
    trainer = L.Trainer(max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(Downscaler(), train, valid)


if __name__ == "__main__":
    main()
