# fault: none
# family: contrastive
# split: held
# set: puma, unseen
# needs: lightning
"""ShelfMate: two-tower retrieval of books for library members (Lightning).

member tower: age group, branch, bag of the last 5 loans;  book tower: id, genre, author.
In-batch sampled softmax on cosine similarities; recall@10 over the whole catalogue.
"""
import logging
import os
import warnings

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore")

N_BOOKS, N_GENRES, N_AUTHORS, N_BRANCHES, N_AGES = 160, 10, 40, 6, 5
HISTORY = 5


class Loans(Dataset):
    """One row: (age, branch, last loans, book borrowed next)."""

    def __init__(self, world, n, g):
        taste = torch.randint(0, N_GENRES, (n,), generator=g)
        self.age = torch.randint(0, N_AGES, (n,), generator=g)
        self.branch = torch.randint(0, N_BRANCHES, (n,), generator=g)
        logits = torch.zeros(n, N_BOOKS)
        logits += 3.5 * (world["genre"][None] == taste[:, None])
        logits += 1.5 * world["age_aff"][self.age][:, world["author"]]
        logits += world["popularity"][None]
        picks = torch.multinomial(logits.softmax(1), HISTORY + 1, generator=g)
        self.history, self.next = picks[:, :HISTORY], picks[:, HISTORY]

    def __len__(self):
        return len(self.next)

    def __getitem__(self, i):
        return self.age[i], self.branch[i], self.history[i], self.next[i]

    def __getitems__(self, idx):
        return self[torch.tensor(idx)]


def make_world(seed):
    g = torch.Generator().manual_seed(seed)
    return {
        "genre": torch.randint(0, N_GENRES, (N_BOOKS,), generator=g),
        "author": torch.randint(0, N_AUTHORS, (N_BOOKS,), generator=g),
        "age_aff": torch.randn(N_AGES, N_AUTHORS, generator=g),
        "popularity": 0.4 * torch.randn(N_BOOKS, generator=g),
    }


class MemberTower(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.age = nn.Embedding(N_AGES, 8)
        self.branch = nn.Embedding(N_BRANCHES, 8)
        self.loans = nn.EmbeddingBag(N_BOOKS, 32, mode="mean")
        self.mlp = nn.Sequential(nn.Linear(48, 64), nn.ReLU(), nn.Linear(64, dim))

    def forward(self, age, branch, history):
        return self.mlp(torch.cat([self.age(age), self.branch(branch), self.loans(history)], dim=1))


class BookTower(nn.Module):
    def __init__(self, dim, genre, author):
        super().__init__()
        self.register_buffer("genre_of", genre)
        self.register_buffer("author_of", author)
        self.book = nn.Embedding(N_BOOKS, 16)
        self.genre = nn.Embedding(N_GENRES, 16)
        self.author = nn.Embedding(N_AUTHORS, 16)
        self.mlp = nn.Sequential(nn.Linear(48, 64), nn.ReLU(), nn.Linear(64, dim))

    def forward(self, ids):
        x = torch.cat([self.book(ids), self.genre(self.genre_of[ids]), self.author(self.author_of[ids])], dim=1)
        return self.mlp(x)


class TwoTower(L.LightningModule):
    def __init__(self, world, dim=24, lr=6e-3, temperature=0.1, weight_decay=1e-5):
        super().__init__()
        self.lr, self.temperature, self.weight_decay = lr, temperature, weight_decay
        self.member = MemberTower(dim)
        self.books = BookTower(dim, world["genre"], world["author"])
        self.hits, self.seen = 0, 0

    def training_step(self, batch, batch_idx):
        age, branch, history, target = batch
        u = F.normalize(self.member(age, branch, history), dim=1)
        v = F.normalize(self.books(target), dim=1)
        scores = u @ v.T / self.temperature
        same = target[:, None] == target[None, :]
        same.fill_diagonal_(False)
        scores = scores.masked_fill(same, -1e4)              # the same book is no negative
        loss = F.cross_entropy(scores, torch.arange(len(target)))
        if batch_idx % 40 == 0:
            print(f"epoch {self.current_epoch} step {self.global_step} loss {loss.item():.3f}")
        return loss

    def validation_step(self, batch, batch_idx):
        age, branch, history, target = batch
        u = F.normalize(self.member(age, branch, history), dim=1)
        v = F.normalize(self.books(torch.arange(N_BOOKS)), dim=1)
        sims = (u @ v.T).scatter(1, history, -10.0)           # already borrowed
        top = sims.topk(10, dim=1).indices
        self.hits += (top == target[:, None]).any(1).sum().item()
        self.seen += len(target)

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.lr, weight_decay=self.weight_decay)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=self.trainer.estimated_stepping_batches)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


def main():
    seed = int(os.environ.get("SEED", 0))
    L.seed_everything(seed, verbose=False)
    world = make_world(seed)
    g = torch.Generator().manual_seed(seed + 1)
    train = Loans(world, 6000, g)
    valid = Loans(world, 1000, g)
    train_dl = DataLoader(train, batch_size=128, shuffle=True, drop_last=True, collate_fn=lambda b: b)
    valid_dl = DataLoader(valid, batch_size=500, collate_fn=lambda b: b)

    model = TwoTower(world)
    trainer = L.Trainer(
        max_epochs=4, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
        limit_val_batches=0, gradient_clip_val=1.0,
    )
    trainer.fit(model, train_dl, valid_dl)
    model.eval()
    with torch.no_grad():
        for i, batch in enumerate(valid_dl):
            model.validation_step(batch, i)
    print(f"METRIC recall_at_10 {model.hits / model.seen:.4f}")


if __name__ == "__main__":
    main()
