# fault: none
# family: language
# split: held
# set: dingo, unseen
# Routes support tickets to one of five queues. Word ids -> embedding -> GRU -> queue.
import os
import random

import numpy as np
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset


class CFG:
    vocab = 400
    emb_dim = 32
    hidden = 48
    n_queues = 5
    dropout = 0.2
    batch_size = 32
    epochs = 7
    lr = 6e-3
    weight_decay = 0.0
    clip = 5.0


PAD, NOT = 0, 1


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def write_ticket(rng, queue):
    """Filler words, a few words typical of the queue, and now and then a negated word of another queue."""
    words = list(rng.integers(110, CFG.vocab, size=rng.integers(2, 9)))
    for _ in range(rng.integers(2, 4)):
        words.insert(rng.integers(0, len(words) + 1), 10 + 20 * queue + rng.integers(0, 20))
    if rng.random() < 0.5:
        other = (queue + rng.integers(1, CFG.n_queues)) % CFG.n_queues
        at = rng.integers(0, len(words) + 1)
        words[at:at] = [NOT, 10 + 20 * other + rng.integers(0, 20)]
    return [int(w) for w in words]


def make_tickets(n, rng):
    queues = rng.integers(0, CFG.n_queues, size=n)
    texts = [write_ticket(rng, q) for q in queues]
    return texts, [int(q) for q in queues]


class Tickets(Dataset):
    def __init__(self, texts, queues):
        self.texts = texts
        self.queues = queues

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        return torch.tensor(self.texts[i]), self.queues[i]


def collate(batch):
    seqs, queues = zip(*batch)
    lengths = torch.tensor([len(s) for s in seqs])
    ids = pad_sequence(seqs, batch_first=True, padding_value=PAD)
    return ids, lengths, torch.tensor(queues)


class TicketRouter(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(CFG.vocab, CFG.emb_dim, padding_idx=PAD)
        self.gru = nn.GRU(CFG.emb_dim, CFG.hidden, batch_first=True)
        self.drop = nn.Dropout(CFG.dropout)
        self.fc = nn.Linear(CFG.hidden, 64)
        self.out = nn.Linear(64, CFG.n_queues)

    def forward(self, ids, lengths):
        x = self.drop(self.emb(ids))
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        _, h = self.gru(packed)
        h = h[-1]
        h = torch.relu(self.fc(self.drop(h)))
        return self.out(h)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    hits = total = 0
    for ids, lengths, y in loader:
        hits += (model(ids, lengths).argmax(1) == y).sum().item()
        total += len(y)
    return hits / total


def main():
    seed = int(os.environ.get("SEED", 0))
    seed_everything(seed)
    rng = np.random.default_rng(seed)
    texts, queues = make_tickets(1000, rng)
    val_texts, val_queues = make_tickets(300, rng)
    train_loader = DataLoader(Tickets(texts, queues), batch_size=CFG.batch_size, shuffle=True, collate_fn=collate)
    val_loader = DataLoader(Tickets(val_texts, val_queues), batch_size=100, collate_fn=collate)

    model = TicketRouter()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=CFG.lr, weight_decay=CFG.weight_decay)

    for epoch in range(CFG.epochs):
        model.train()
        running = 0.0
        for ids, lengths, y in train_loader:
            optimizer.zero_grad()
            logits = model(ids, lengths)
            loss = criterion(logits, y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), CFG.clip)
            optimizer.step()
            running += loss.item()
        acc = evaluate(model, val_loader)
        print(f"epoch {epoch}: loss {running / len(train_loader):.4f}  val acc {acc:.4f}")
    print(f"METRIC accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
