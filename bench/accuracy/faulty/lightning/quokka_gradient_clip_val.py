# fault: clip-too-tight
# cause_class: optimizer, learning-rate
# family: lightning
# split: tune
# needs: lightning
import logging
import os
import warnings
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
import lightning as L
from lightning.pytorch.callbacks import Callback

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", "0")), verbose=False)


class CharLM(L.LightningModule):
    def __init__(self, vocab=12, dim=48, lr=0.1):
        super().__init__()
        self.save_hyperparameters()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def training_step(self, batch, _):
        (s,) = batch
        h, _ = self.rnn(self.emb(s[:, :-1]))
        loss = F.cross_entropy(self.out(h).flatten(0, 1), s[:, 1:].flatten())
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9, nesterov=True)
        return {"optimizer": opt, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(opt, 6)}


class Printer(Callback):
    def on_train_epoch_end(self, trainer, module):
        print(trainer.current_epoch, "loss %.4f" % trainer.callback_metrics["loss"].item())


def chain(n, length=16, vocab=12):
    nxt = torch.softmax(3 * torch.randn(vocab, vocab), 1)
    s = torch.randint(0, vocab, (n, 1))
    for _ in range(length):
        s = torch.cat([s, torch.multinomial(nxt[s[:, -1]], 1)], 1)
    return TensorDataset(s)


trainer = L.Trainer(max_epochs=6, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                    enable_model_summary=False, gradient_clip_val=1e-4, gradient_clip_algorithm="norm", callbacks=[Printer()])
trainer.fit(CharLM(), DataLoader(chain(1600), 32, shuffle=True))
