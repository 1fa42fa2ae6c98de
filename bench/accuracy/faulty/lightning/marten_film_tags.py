# fault: sigmoid-twice
# cause_class: output-activation, loss
# family: lightning
# split: held
# needs: lightning
import logging
import os
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
SEED = int(os.environ.get("SEED", 0))
L.seed_everything(SEED, verbose=False)

TAGS, WORDS = 8, 60


def films(n):
    tags = (torch.rand(n, TAGS) < 0.25).float()
    topic = torch.randn(TAGS, WORDS, generator=torch.Generator().manual_seed(5))
    x = tags @ topic + 0.8 * torch.randn(n, WORDS)
    return TensorDataset(x / 1.8, tags)


LOSSES = {"bce": nn.BCEWithLogitsLoss, "mse": nn.MSELoss}


class TagModel(L.LightningModule):
    def __init__(self, hidden=64, loss="bce", lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.encoder = nn.Sequential(nn.Linear(WORDS, hidden), nn.GELU(), nn.LayerNorm(hidden))
        self.tagger = nn.Sequential(nn.Linear(hidden, TAGS), nn.Sigmoid())
        self.loss = LOSSES[loss]()
        self.epoch_losses = []

    def forward(self, x):
        return self.tagger(self.encoder(x))

    def training_step(self, batch, _):
        x, y = batch
        loss = self.loss(self(x), y)
        self.epoch_losses.append(loss.item())
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        score = self(x)
        self.log("val_loss", self.loss(score, y))
        self.log("val_acc", ((score > 0.5) == y.bool()).float().mean())

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        print("train", sum(self.epoch_losses) / max(1, len(self.epoch_losses)), {k: round(float(v), 4) for k, v in m.items()})
        self.epoch_losses.clear()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


trainer = L.Trainer(max_epochs=6, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(TagModel(), DataLoader(films(1600), batch_size=32, shuffle=True), DataLoader(films(400), batch_size=200))
