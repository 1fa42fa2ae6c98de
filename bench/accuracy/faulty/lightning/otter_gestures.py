# fault: learning-rate-too-low
# cause_class: learning-rate
# family: lightning
# split: held
# needs: lightning
import os, warnings
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import lightning as L

warnings.filterwarnings("ignore")
SEED = int(os.environ.get("SEED", 0))
L.seed_everything(SEED, verbose=False)


class Gesture(L.LightningModule):
    def __init__(self, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.rnn = nn.GRU(3, 32, batch_first=True)
        self.head = nn.Linear(32, 4)

    def forward(self, x):
        return self.head(self.rnn(x)[1][-1])

    def training_step(self, batch, _):
        x, y = batch
        loss = nn.functional.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def on_train_epoch_end(self):
        print(self.current_epoch, float(self.trainer.callback_metrics["train_loss"]))

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        sched = torch.optim.lr_scheduler.MultiStepLR(opt, milestones=[3, 5], gamma=0.02)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


def gestures(n):
    y = torch.randint(0, 4, (n,))
    t = torch.linspace(0, 6.28, 16)
    freq = (1 + y)[:, None] * t
    x = torch.stack([freq.sin(), freq.cos(), (freq * .5).sin()], -1)
    return TensorDataset(x + 0.3 * torch.randn_like(x), y)


train = DataLoader(gestures(640), batch_size=32, shuffle=True)
trainer = L.Trainer(max_epochs=8, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False)
trainer.fit(Gesture(), train)
