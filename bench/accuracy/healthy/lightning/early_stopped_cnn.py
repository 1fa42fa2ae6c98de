# fault: none
# family: lightning
# split: tune
# needs: lightning
import logging
import os
import warnings

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping, GradientAccumulationScheduler
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class DigitNet(pl.LightningModule):
    def __init__(self, lr=2e-3, total=400):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
                                 nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.Flatten(),
                                 nn.Dropout(0.3), nn.Linear(512, 10))

    def training_step(self, batch, _):
        loss = F.cross_entropy(self.net(batch[0]), batch[1], label_smoothing=0.05)
        self.log("train", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        out = self.net(batch[0])
        self.log_dict({"val": F.cross_entropy(out, batch[1]), "acc": (out.argmax(1) == batch[1]).float().mean()})

    def on_train_epoch_end(self):
        print(self.current_epoch, {k: round(float(v), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        s = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.3, patience=1)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": s, "monitor": "val"}}


def main():
    pl.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
    d = load_digits()
    x = torch.tensor(d.images, dtype=torch.float32)[:, None] / 8 - 1
    y = torch.tensor(d.target)
    p = torch.randperm(len(x))
    tr, va = TensorDataset(x[p[:1400]], y[p[:1400]]), TensorDataset(x[p[1400:]], y[p[1400:]])
    trainer = pl.Trainer(max_epochs=12, callbacks=[EarlyStopping("val", patience=3), GradientAccumulationScheduler({0: 1, 4: 2})],
                         gradient_clip_val=1.0, accelerator="cpu", logger=False, enable_checkpointing=False,
                         enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(DigitNet(), DataLoader(tr, 50, shuffle=True), DataLoader(va, 397))


if __name__ == "__main__":
    main()
