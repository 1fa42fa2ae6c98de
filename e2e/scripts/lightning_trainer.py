"""A classifier by the Trainer of Lightning: validation, metrics and clipping."""

import logging
import tempfile
import warnings

import lightning as L
import torch
from common import OUT, blobs, digest
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Classifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 64), nn.ReLU())
        self.head = nn.Linear(64, 5)

    def forward(self, x):
        return self.head(self.encoder(x))

    def training_step(self, batch, i):
        loss = F.cross_entropy(self(batch[0]), batch[1])
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, i):
        loss = F.cross_entropy(self(batch[0]), batch[1])
        self.log("val_loss", loss)

    def on_validation_epoch_end(self):
        print("step %d val_loss %.6f" % (self.trainer.global_step, self.trainer.callback_metrics["val_loss"]))

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=3e-3)


L.seed_everything(0, verbose=False)
x, y = blobs(1280, 20, 5)
train, held_out = TensorDataset(x[:1024], y[:1024]), TensorDataset(x[1024:], y[1024:])
model = Classifier()
with tempfile.TemporaryDirectory() as where:
    trainer = L.Trainer(max_epochs=3, accelerator="cpu", gradient_clip_val=5.0, logger=False, enable_checkpointing=False, enable_progress_bar=False,
                        enable_model_summary=False, default_root_dir=where)  # fmt: skip
    trainer.fit(model, DataLoader(train, batch_size=32, shuffle=True), DataLoader(held_out, batch_size=64))
if OUT:
    with open(OUT, "w") as f:
        f.write(digest([model]))
