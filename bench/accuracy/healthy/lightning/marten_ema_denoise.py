# fault: none
# family: lightning
# split: held
# needs: lightning
import copy
import logging
import math
import os
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)


class WeightAverage(L.Callback):
    """Keeps a slow copy of the model and tests with it."""

    def __init__(self, decay=0.98):
        self.decay, self.slow = decay, None

    def on_fit_start(self, trainer, module):
        self.slow = copy.deepcopy(module.net).eval().requires_grad_(False)

    def on_train_batch_end(self, trainer, module, *_):
        with torch.no_grad():
            for a, b in zip(self.slow.parameters(), module.net.parameters()):
                a.mul_(self.decay).add_(b, alpha=1 - self.decay)

    def on_train_epoch_end(self, trainer, module):
        x, clean = module.test
        with torch.no_grad():
            print(f"epoch {trainer.current_epoch} loss {float(trainer.callback_metrics['loss']):.4f} slow copy {nn.functional.l1_loss(self.slow(x), clean).item():.4f} noise {(x - clean).abs().mean():.3f}")


def signals(n):
    t = torch.linspace(0, 1, 48)
    a, f, p = 0.5 + torch.rand(n, 1), 1 + 4 * torch.rand(n, 1), 6.28 * torch.rand(n, 1)
    clean = a * torch.sin(2 * math.pi * f * t + p)
    clean = clean + torch.where(t > torch.rand(n, 1), 0.7, 0.0) - 0.35
    return (clean + 0.4 * torch.randn_like(clean)).unsqueeze(1), clean.unsqueeze(1)


class Denoiser(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(1, 16, 9, padding=4), nn.GELU(), nn.Conv1d(16, 16, 9, padding=4), nn.GELU(), nn.Conv1d(16, 1, 9, padding=4))
        self.test = signals(200)

    def training_step(self, batch, _):
        x, clean = batch
        loss = nn.functional.l1_loss(self.net(x), clean)
        self.log("loss", loss, on_step=False, on_epoch=True)
        return loss

    def configure_optimizers(self):
        opt = torch.optim.RMSprop(self.parameters(), lr=1e-3)
        return [opt], [torch.optim.lr_scheduler.StepLR(opt, 4, 0.3)]


L.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
          callbacks=[WeightAverage()]).fit(Denoiser(), DataLoader(TensorDataset(*signals(1280)), batch_size=32, shuffle=True))
