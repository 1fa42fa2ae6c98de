# fault: nll-on-probabilities
# cause_class: loss, output-activation
# family: lightning
# split: held
# needs: lightning
import os
import tempfile

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", "0"))
L.seed_everything(SEED, verbose=False)


class ReviewData(L.LightningDataModule):
    def __init__(self, vocab=200, length=16, batch_size=64):
        super().__init__()
        self.vocab, self.length, self.batch_size = vocab, length, batch_size

    def make(self, n):
        y = torch.randint(0, 5, (n,))
        words = torch.randint(1, self.vocab, (n, self.length))
        mood = 1 + y[:, None] * 15 + torch.randint(0, 15, (n, self.length))
        return TensorDataset(torch.where(torch.rand(n, self.length) < 0.25, mood, words), y)

    def setup(self, stage=None):
        self.train, self.val = self.make(4000), self.make(800)

    def train_dataloader(self):
        return DataLoader(self.train, self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, 200)


class ReviewClassifier(L.LightningModule):
    def __init__(self, vocab=200, dim=32, classes=5, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.embedding = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, 32, batch_first=True, bidirectional=True)
        self.head = nn.Linear(64, classes)

    def forward(self, tokens):
        out, _ = self.rnn(self.embedding(tokens))
        return F.softmax(self.head(out.mean(1)), dim=-1)

    def training_step(self, batch, batch_idx):
        tokens, stars = batch
        loss = F.nll_loss(self(tokens), stars)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        tokens, stars = batch
        probs = self(tokens)
        self.log("val_loss", F.nll_loss(probs, stars), on_epoch=True)
        self.log("val_acc", (probs.argmax(-1) == stars).float().mean(), on_epoch=True)

    def on_validation_epoch_end(self):
        if not self.trainer.sanity_checking:
            print({k: round(float(v), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=4, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False,
                        default_root_dir=tempfile.mkdtemp())
    trainer.fit(ReviewClassifier(), ReviewData())
