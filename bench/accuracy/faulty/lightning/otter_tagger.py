# fault: sigmoid-twice
# cause_class: output-activation, loss
# family: lightning
# split: held
# needs: lightning
import os, warnings
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import lightning.pytorch as pl

warnings.simplefilter("ignore")
pl.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)


class Gate(nn.Module):
    """squeeze-excite on the tag level: scores of related tags support each other"""

    def __init__(self, n):
        super().__init__()
        self.mix = nn.Linear(n, n)

    def forward(self, s):
        return torch.sigmoid(s + self.mix(s))


class Tagger(pl.LightningModule):
    def __init__(self, dim=20, tags=12):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, tags))
        self.gate = Gate(tags)

    def forward(self, x):
        return self.gate(self.body(x))

    def training_step(self, batch, i):
        x, t = batch
        loss = F.binary_cross_entropy_with_logits(self(x), t)
        self.log("loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, i):
        x, t = batch
        s = self(x)
        self.log_dict({"val_loss": F.binary_cross_entropy_with_logits(s, t),
                       "hamming": ((s > 0.5).float() != t).float().mean()})

    def on_validation_epoch_end(self):
        print({k: round(float(v), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=2e-3)


proj = torch.randn(20, 12)
x = torch.randn(1200, 20)
t = ((x @ proj) / 20 ** .5 > 0.8).float()
tr = DataLoader(TensorDataset(x[:1000], t[:1000]), batch_size=40, shuffle=True)
va = DataLoader(TensorDataset(x[1000:], t[1000:]), batch_size=200)
pl.Trainer(max_epochs=10, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False, num_sanity_val_steps=0,
           enable_progress_bar=False, enable_model_summary=False).fit(Tagger(), tr, va)
