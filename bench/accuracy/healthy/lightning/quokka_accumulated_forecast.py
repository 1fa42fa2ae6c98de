# fault: none
# family: lightning
# split: tune
# needs: lightning
import logging
import os
import warnings
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import lightning as L
from lightning.pytorch.callbacks import EarlyStopping

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", "0")), verbose=False)


class Forecast(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, 1))

    def training_step(self, batch, _):
        x, y = batch
        loss = nn.functional.huber_loss(self.net(x), y)
        self.log("train", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val", nn.functional.huber_loss(self.net(x), y))

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(self.current_epoch, "train %.4f val %.4f" % (m["train"], m["val"]))

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=3e-3)
        return [opt], [torch.optim.lr_scheduler.StepLR(opt, 5, 0.5)]


t = torch.arange(1624).float()
s = torch.sin(t / 4) + 0.4 * torch.sin(t / 11) + 0.1 * torch.randn(1624)
s = (s - s[:1300].mean()) / s[:1300].std()
w = s.unfold(0, 25, 1)
tr, va = TensorDataset(w[:1300, :24], w[:1300, 24:]), TensorDataset(w[1330:, :24], w[1330:, 24:])
trainer = L.Trainer(max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, num_sanity_val_steps=0,
                    enable_model_summary=False, accumulate_grad_batches=2, gradient_clip_val=1.0, callbacks=[EarlyStopping("val", patience=4)])
trainer.fit(Forecast(), DataLoader(tr, 20, shuffle=True), DataLoader(va, 270))
