# fault: targets-not-scaled
# cause_class: data-scaling, loss
# family: lightning
# split: tune
# needs: lightning
import os
import logging
import warnings
import torch
from torch import nn
import torch.nn.functional as F
import lightning as L
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def flats(n):
    rooms = torch.randint(1, 7, (n,)).float()
    area = rooms * 22 + 12 * torch.rand(n)
    floor = torch.randint(0, 10, (n,)).float()
    centre = torch.rand(n) * 15
    price = 3200 * area * torch.exp(-0.06 * centre) + 4000 * floor + 9000 * torch.randn(n)
    x = torch.stack([rooms, area, floor, centre], 1)
    return x, price.unsqueeze(1)


class PriceModel(L.LightningModule):
    def __init__(self, hidden=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(),
                                 nn.Linear(hidden, 1))

    def training_step(self, batch, i):
        x, y = batch
        loss = F.mse_loss(self.net(x), y)
        self.log("loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, i):
        x, y = batch
        self.log("mape", ((self.net(x) - y).abs() / y.abs()).mean())

    def on_train_epoch_end(self):
        if self.current_epoch % 3 == 0:
            print(self.current_epoch, {k: f"{float(v):.4g}" for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
x, y = flats(1400)
mean, std = x[:1200].mean(0), x[:1200].std(0)
x = (x - mean) / std
train = DataLoader(TensorDataset(x[:1200], y[:1200]), batch_size=48, shuffle=True)
val = DataLoader(TensorDataset(x[1200:], y[1200:]), batch_size=200)
trainer = L.Trainer(max_epochs=16, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(PriceModel(), train, val)
