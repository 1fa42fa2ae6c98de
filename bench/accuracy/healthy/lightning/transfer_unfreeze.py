# fault: none
# family: lightning
# split: tune
# needs: lightning
"""Pretrained extractor (trained above on a sister task) is frozen for two epochs and then unfrozen at a tenth of the rate."""
import os
import logging
import warnings
import torch
from torch import nn
import torch.nn.functional as F
import lightning.pytorch as pl
from lightning.pytorch.callbacks import BaseFinetuning
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
pl.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
MIX = torch.randn(6, 30)


def task(n, kind):
    z = torch.randn(n, 6)
    x = torch.tanh(z @ MIX / 2) + 0.1 * torch.randn(n, 30)
    y = (z[:, 0] * z[:, 1] > 0).long() * 2 + (z[:, 2] > 0).long() if kind == "a" else \
        (z[:, 0] * z[:, 1] > 0).long() * 2 + (z[:, 3] > 0).long()
    return TensorDataset(x, y)


class Net(pl.LightningModule):
    def __init__(self, body=None, lr=2e-3):
        super().__init__()
        self.body = body or nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
        self.head = nn.Linear(32, 4)
        self.lr = lr

    def forward(self, x):
        return self.head(self.body(x))

    def training_step(self, b, i):
        loss = F.cross_entropy(self(b[0]), b[1])
        self.log("loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, b, i):
        self.log("acc", (self(b[0]).argmax(1) == b[1]).float().mean())

    def on_train_epoch_end(self):
        print(self.current_epoch, {k: round(v.item(), 3) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.Adam([p for p in self.parameters() if p.requires_grad], lr=self.lr)


class UnfreezeBody(BaseFinetuning):
    def freeze_before_training(self, module):
        self.freeze(module.body)

    def finetune_function(self, module, epoch, optimizer):
        if epoch == 2:
            self.unfreeze_and_add_param_group(module.body, optimizer, lr=module.lr / 4)


def run(model, kind, n, epochs, callbacks=()):
    pl.Trainer(max_epochs=epochs, accelerator="cpu", logger=False, enable_checkpointing=False, callbacks=list(callbacks),
               enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0
               ).fit(model, DataLoader(task(n, kind), batch_size=40, shuffle=True), DataLoader(task(400, kind), batch_size=400))


source = Net()
run(source, "a", 2000, 6)
run(Net(body=source.body), "b", 1200, 10, [UnfreezeBody()])
