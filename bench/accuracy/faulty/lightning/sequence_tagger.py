# fault: zero-grad
# cause_class: zero-grad, optimizer, learning-rate
# family: lightning
# split: tune
# needs: lightning
import logging
import os
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)


def data(n, t=12):
    x = torch.randint(0, 10, (n, t))
    prev = torch.cat([torch.zeros(n, 1, dtype=torch.long), x[:, :-1]], 1)
    return TensorDataset(x, (x > prev).long() + (x % 2))


class Tagger(L.LightningModule):
    def __init__(self, lr=0.1, hidden=32):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.emb = nn.Embedding(10, 16)
        self.rnn = nn.LSTM(16, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, 3)
        self.seen = []

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])

    def training_step(self, batch, _):
        x, y = batch
        opt = self.optimizers()
        loss = F.cross_entropy(self(x).flatten(0, 1), y.flatten())
        self.manual_backward(loss)
        self.clip_gradients(opt, gradient_clip_val=5.0, gradient_clip_algorithm="norm")
        opt.step()
        self.seen.append(loss.item())

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val_acc", (self(x).argmax(-1) == y).float().mean())

    def on_train_epoch_end(self):
        print(f"epoch {self.current_epoch} loss {sum(self.seen) / len(self.seen):.4f} val_acc {float(self.trainer.callback_metrics['val_acc']):.3f}")
        self.seen.clear()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9)


trainer = L.Trainer(max_epochs=6, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                    enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(Tagger(), DataLoader(data(640), 32, shuffle=True), DataLoader(data(200), 100))
