# fault: targets-not-scaled
# cause_class: data-scaling, labels
# family: lightning
# split: held
# needs: lightning
import logging
import os
import warnings

import torch
import lightning as L
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)


def flats(n=2400):
    area = torch.rand(n) * 110 + 25
    rooms = (area / 28).round().clamp(1, 6)
    floor = torch.randint(0, 9, (n,)).float()
    age = torch.rand(n) * 90
    centre = torch.rand(n) * 12
    price = area * (5200 - 260 * centre) * (1 - 0.003 * age) + 4000 * floor + 9000 * torch.randn(n)
    x = torch.stack([area, rooms, floor, age, centre], 1)
    return TensorDataset((x - x.mean(0)) / x.std(0), price.unsqueeze(1))


class PriceModel(L.LightningModule):
    def __init__(self, width=64, lr=1e-3):
        super().__init__()
        self.lr = lr
        self.layers = nn.Sequential(nn.Linear(5, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))
        self.criterion = nn.MSELoss()

    def forward(self, x):
        return self.layers(x)

    def training_step(self, batch, batch_idx):
        x, price = batch
        loss = self.criterion(self(x), price)
        self.log("train", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, price = batch
        off = (self(x) - price).abs() / price
        self.log("off_by", off.mean())

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch} train {m['train']:.4g} off by {100 * m['off_by']:.1f}%")

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.lr)
        return {"optimizer": opt, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(opt, 12)}


train, val = random_split(flats(), [2000, 400])
L.Trainer(max_epochs=12, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
          enable_model_summary=False, num_sanity_val_steps=0).fit(
    PriceModel(), DataLoader(train, batch_size=50, shuffle=True), DataLoader(val, batch_size=400))
