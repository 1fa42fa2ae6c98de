# fault: learning-rate-too-low
# cause_class: learning-rate, optimizer
# family: lightning
# split: held
# needs: lightning
import logging
import os
import warnings
import lightning as L
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
for n in ("lightning.pytorch", "lightning"):
    logging.getLogger(n).setLevel(logging.ERROR)

L.seed_everything(int(os.environ.get("SEED", "0")))


class LitDigits(L.LightningModule):
    def __init__(self, lr=0.05, decay=0.7):
        super().__init__()
        self.save_hyperparameters()
        self.model = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.Flatten(),
            nn.Linear(512, 10))
        self.loss = nn.CrossEntropyLoss()

    def forward(self, x):
        return self.model(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        out = self(x)
        self.log("val_loss", self.loss(out, y))
        self.log("val_acc", (out.argmax(1) == y).float().mean())

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9)
        # 0.7 per epoch
        sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=self.hparams.decay)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch} train {m['train_loss']:.4f} val {m['val_loss']:.4f} acc {m['val_acc']:.3f} "
              f"lr {self.optimizers().param_groups[0]['lr']:.2e}")


d = load_digits()
x = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1) / 16 - 0.5
y = torch.tensor(d.target)
p = torch.randperm(len(x))
train = DataLoader(TensorDataset(x[p[:1400]], y[p[:1400]]), batch_size=64, shuffle=True)
val = DataLoader(TensorDataset(x[p[1400:]], y[p[1400:]]), batch_size=400)
trainer = L.Trainer(max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False)
trainer.fit(LitDigits(), train, val)
