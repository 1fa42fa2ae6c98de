# fault: class-labels-into-mse
# cause_class: loss
# family: lightning
# split: tune
# needs: lightning
"""Which of nine species a flower belongs to."""
import os
import logging
import warnings
import torch
import lightning.pytorch as pl
from torch.utils.data import DataLoader, TensorDataset, random_split

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class FlowerData(pl.LightningDataModule):
    def __init__(self, batch_size=32):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage=None):
        centres = torch.randn(9, 6) * 1.6
        y = torch.randint(0, 9, (1500,))
        x = centres[y] + 0.6 * torch.randn(1500, 6)
        x = (x - x.mean(0)) / x.std(0)
        self.train, self.val = random_split(TensorDataset(x, y), [1200, 300])

    def train_dataloader(self):
        return DataLoader(self.train, self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, 300)


class Species(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(6, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
        self.loss = torch.nn.MSELoss()

    def step(self, batch, name):
        x, y = batch
        pred = self.net(x).squeeze(-1)
        loss = self.loss(pred, y.float())
        self.log(f"{name}_loss", loss, on_epoch=True, on_step=False)
        self.log(f"{name}_acc", (pred.round().long() == y).float().mean(), on_epoch=True, on_step=False)
        return loss

    def training_step(self, batch, batch_idx):
        return self.step(batch, "train")

    def validation_step(self, batch, batch_idx):
        self.step(batch, "val")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=3e-3)


class Report(pl.Callback):
    def on_train_epoch_end(self, trainer, module):
        m = trainer.callback_metrics
        print(trainer.current_epoch, {k: round(v.item(), 3) for k, v in m.items()})


if __name__ == "__main__":
    pl.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
    pl.Trainer(max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False, callbacks=[Report()],
               enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0).fit(Species(), FlowerData())
