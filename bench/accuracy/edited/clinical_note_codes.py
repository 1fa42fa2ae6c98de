# fault: none
# family: tabular
# split: held
# set: okapi, unseen
# needs: lightning
"""Multi-label coding of short clinical notes (token ids, ragged) with Lightning."""
import logging
import os
import warnings

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

VOCAB, LABELS, PAD = 200, 10, 0


def make_notes(n, gen):
    """every code has six trigger words; a note has the code when two or more of them occur next to each other"""
    trig = torch.arange(1, 1 + 6 * LABELS).view(LABELS, 6)
    notes = []
    for _ in range(n):
        parts, y = [], torch.zeros(LABELS)
        for c in range(LABELS):
            u = torch.rand(1, generator=gen).item()
            pick = trig[c][torch.randperm(6, generator=gen)[:2]].tolist()
            if u < 0.12:
                parts.append(pick); y[c] = 1
            elif u < 0.30:
                parts += [[pick[0]]]
        for _ in range(int(torch.randint(4, 12, (1,), generator=gen))):
            parts.append(torch.randint(1 + 6 * LABELS, VOCAB, (1,), generator=gen).tolist())
        order = torch.randperm(len(parts), generator=gen).tolist()
        notes.append((torch.tensor(sum((parts[i] for i in order), [])), y))
    return notes


class Notes(Dataset):
    def __init__(self, notes):
        self.notes = notes

    def __len__(self):
        return len(self.notes)

    def __getitem__(self, i):
        return self.notes[i]


def collate(batch):
    ids = nn.utils.rnn.pad_sequence([b[0] for b in batch], batch_first=True, padding_value=PAD)
    return ids, torch.stack([b[1] for b in batch])


class Coder(L.LightningModule):
    def __init__(self, dim=32, lr=6e-3, pos_weight=4.0):
        super().__init__()
        self.lr = lr
        self.embed = nn.Embedding(VOCAB, dim, padding_idx=PAD)
        self.conv = nn.Conv1d(dim, 64, 2)
        self.norm = nn.BatchNorm1d(64)
        self.drop = nn.Dropout(0.1)
        self.fc = nn.Linear(64, LABELS)
        self.register_buffer("pos_weight", torch.full((LABELS,), pos_weight))
        self.counts = None

    def forward(self, ids):
        x = self.embed(ids).transpose(1, 2)
        x = F.relu(self.conv(x))
        mask = (ids[:, 1:] != PAD).unsqueeze(1)
        x = x.masked_fill(~mask, 0.0).amax(dim=2)
        return self.fc(self.drop(self.norm(x)))

    def training_step(self, batch, batch_idx):
        ids, y = batch
        logits = self(ids)
        loss = F.binary_cross_entropy_with_logits(logits, y, pos_weight=self.pos_weight)
        self.log("train_loss", loss)
        return loss

    def on_validation_epoch_start(self):
        self.counts = torch.zeros(3, LABELS)

    def validation_step(self, batch, batch_idx):
        ids, y = batch
        pred = (self(ids) > 0).float()
        self.counts += torch.stack([(pred * y).sum(0), (pred * (1 - y)).sum(0), ((1 - pred) * y).sum(0)])

    def on_validation_epoch_end(self):
        tp, fp, fn = self.counts
        self.f1 = (2 * tp / (2 * tp + fp + fn).clamp(min=1)).mean().item()
        if self.current_epoch % 3 == 2:
            print(f"epoch {self.current_epoch} macro F1 {self.f1:.3f}")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.lr, weight_decay=0.01)
        return opt


def main():
    L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
    gen = torch.Generator().manual_seed(int(os.environ.get("SEED", 0)))
    train = DataLoader(Notes(make_notes(900, gen)), batch_size=48, shuffle=True, collate_fn=collate)
    val = DataLoader(Notes(make_notes(400, gen)), batch_size=200, collate_fn=collate)
    model = Coder()
    trainer = L.Trainer(max_epochs=9, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(model, train, val)
    print(f"METRIC macro_f1 {model.f1:.4f}")


if __name__ == "__main__":
    main()
