# fault: softmax-twice
# cause_class: output-activation, loss
# family: lightning
# split: held
# needs: lightning
import logging
import os

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
SEED = int(os.environ.get("SEED", 0))
GENRES = 10


def spectra(n, gen):
    y = torch.randint(0, GENRES, (n,), generator=gen)
    f = torch.arange(48).float()
    c1 = 4 + 4 * y.float()[:, None] + 1.5 * torch.randn(n, 1, generator=gen)
    c2 = 4 + 4 * ((y * 3) % GENRES).float()[:, None] + 1.5 * torch.randn(n, 1, generator=gen)
    x = torch.exp(-((f - c1) / 3) ** 2) + torch.exp(-((f - c2) / 3) ** 2) + 0.35 * torch.randn(n, 48, generator=gen)
    return x, y


class GenreNet(nn.Module):
    def __init__(self, hidden=64, p=0.1):
        super().__init__()
        self.conv = nn.Conv1d(1, 8, 5, padding=2)
        self.fc1 = nn.Linear(8 * 24, hidden)
        self.fc2 = nn.Linear(hidden, GENRES)
        self.drop = nn.Dropout(p)

    def forward(self, x):
        x = F.max_pool1d(F.relu(self.conv(x.unsqueeze(1))), 2).flatten(1)
        x = self.drop(F.relu(self.fc1(x)))
        return F.softmax(self.fc2(x), dim=-1)


class GenreModule(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = GenreNet()
        self.val = []

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        p = self.net(x)
        self.val.append((F.cross_entropy(p, y).item(), (p.argmax(1) == y).float().mean().item()))

    def on_validation_epoch_end(self):
        t = torch.tensor(self.val).mean(0)
        print(f"epoch {self.current_epoch} val_loss {t[0]:.4f} val_acc {t[1]:.3f}")
        self.val.clear()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


L.seed_everything(SEED, verbose=False)
g = torch.Generator().manual_seed(SEED)
train = DataLoader(TensorDataset(*spectra(1600, g)), batch_size=32, shuffle=True)
val = DataLoader(TensorDataset(*spectra(400, g)), batch_size=100)
trainer = L.Trainer(max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(GenreModule(), train, val)
