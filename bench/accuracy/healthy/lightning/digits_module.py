# fault: none
# family: lightning
# split: tune
# needs: lightning, sklearn
import os
import logging
import warnings
import torch
from torch import nn
import torch.nn.functional as F
import lightning as L
from torch.utils.data import DataLoader, TensorDataset, random_split
from sklearn.datasets import load_digits

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Digits(L.LightningDataModule):
    def setup(self, stage=None):
        d = load_digits()
        x = torch.tensor(d.images, dtype=torch.float32)[:, None] / 16 - 0.3
        self.train_set, self.val_set = random_split(TensorDataset(x, torch.tensor(d.target)), [1400, 397])

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=50, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=397)


class Classifier(L.LightningModule):
    def __init__(self, lr=0.05):
        super().__init__()
        self.lr = lr
        self.net = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3),
                                 nn.ReLU(), nn.Flatten(), nn.Dropout(0.3), nn.Linear(96, 10))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y, label_smoothing=0.1)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        out = self.net(x)
        self.log("val_loss", F.cross_entropy(out, y))
        self.log("val_acc", (out.argmax(1) == y).float().mean())

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), lr=self.lr, momentum=0.9, weight_decay=1e-4)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=self.trainer.estimated_stepping_batches)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}

    def on_train_epoch_end(self):
        print(self.current_epoch, {k: round(v.item(), 4) for k, v in self.trainer.callback_metrics.items()})


L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
trainer = L.Trainer(max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False, gradient_clip_val=1.0,
                    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(Classifier(), datamodule=Digits())
