# fault: saturated-tanh
# cause_class: activation, initialisation, data-scaling
# family: lightning
# split: held
# needs: lightning
import os
import tempfile

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

L.seed_everything(int(os.environ.get("SEED", "0")), verbose=False)


def arm(n):
    """joint angles of a three-link arm -> position and heading of the hand"""
    q = (torch.rand(n, 3) - 0.5) * 3
    lengths = torch.tensor([1.0, 0.8, 0.5])
    angle = q.cumsum(1)
    xy = torch.stack([(lengths * angle.cos()).sum(1), (lengths * angle.sin()).sum(1)], 1)
    xy = (xy - torch.tensor([1.0, 0.0])) / 0.9
    return TensorDataset(q / q.std(), xy + 0.02 * torch.randn(n, 2))


class ArmModel(L.LightningModule):
    def __init__(self, width=128, depth=3, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        dims = [3] + [width] * depth
        blocks = []
        for a, b in zip(dims, dims[1:]):
            blocks += [nn.Linear(a, b), nn.Tanh()]
        self.trunk = nn.Sequential(*blocks)
        self.head = nn.Linear(width, 2)
        self.trunk.apply(self._init)

    def _init(self, m):
        if isinstance(m, nn.Linear):
            m.weight.data.normal_(0, 1)
            m.bias.data.zero_()

    def forward(self, q):
        return self.head(self.trunk(q))

    def training_step(self, batch, _):
        q, xy = batch
        loss = nn.functional.mse_loss(self(q), xy)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        q, xy = batch
        self.log("val_loss", nn.functional.mse_loss(self(q), xy))

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-4)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.trainer.max_epochs)
        return [opt], [sched]


class Report(L.Callback):
    def on_train_epoch_end(self, trainer, module):
        print(trainer.current_epoch, {k: round(v.item(), 4) for k, v in trainer.callback_metrics.items()})


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=6, accelerator="cpu", callbacks=[Report()], logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, gradient_clip_val=1.0,
                        num_sanity_val_steps=0, default_root_dir=tempfile.mkdtemp())
    trainer.fit(ArmModel(), DataLoader(arm(4000), 64, shuffle=True), DataLoader(arm(800), 400))
