# fault: none
# family: lightning
# split: tune
# needs: lightning
"""Character model with micro-batches of 8 that are accumulated, and weight averaging of the last epochs."""
import os
import logging
import warnings
import torch
from torch import nn
import torch.nn.functional as F
import lightning as L
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
V = 10
TABLE = torch.distributions.Dirichlet(torch.full((V,), 0.15)).sample((V, V))     # second-order Markov chain


class Markov(Dataset):
    def __init__(self, n, length=24):
        x = torch.randint(0, V, (n, 2))
        cols = [x[:, 0], x[:, 1]]
        for _ in range(length - 1):
            cols.append(torch.multinomial(TABLE[cols[-2], cols[-1]], 1).squeeze(1))
        self.x = torch.stack(cols, 1)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i, :-1], self.x[i, 1:]


class CharGRU(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, 16)
        self.gru = nn.GRU(16, 48, batch_first=True)
        self.out = nn.Linear(48, V)

    def loss(self, batch):
        x, y = batch
        return F.cross_entropy(self.out(self.gru(self.emb(x))[0]).transpose(1, 2), y)

    def training_step(self, batch, i):
        loss = self.loss(batch)
        self.log("train", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, i):
        self.log("val", self.loss(batch))

    def on_train_epoch_end(self):
        print(self.current_epoch, {k: round(float(v), 3) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=6e-3)


p = TABLE.clamp(min=1e-9)
print("entropy of the source about", round(-(p * p.log()).sum(-1).mean().item(), 3))
trainer = L.Trainer(max_epochs=5, accumulate_grad_batches=2, accelerator="cpu", logger=False, enable_checkpointing=False,
                    gradient_clip_val=0.5, enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(CharGRU(), DataLoader(Markov(800), batch_size=8, shuffle=True), DataLoader(Markov(150), batch_size=150))
