# fault: mostly-padding
# cause_class: data-loading
# family: rnn
# split: tune
import argparse
import os

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD = 0


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--max-len", type=int, default=100)
    p.add_argument("--emb", type=int, default=16)
    p.add_argument("--hidden", type=int, default=32)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--seed", type=int, default=int(os.environ.get("SEED", 0)))
    return p.parse_args()


def reviews(n, vocab=60):
    """Words 1-10 are positive, 11-20 negative, the rest says nothing."""
    out = []
    for _ in range(n):
        length = int(torch.randint(3, 9, (1,)))
        words = torch.randint(21, vocab, (length,))
        label = int(torch.randint(0, 2, (1,)))
        k = max(1, length // 3)
        words[torch.randperm(length)[:k]] = torch.randint(1, 11, (k,)) + 10 * (1 - label)
        out.append((words, label))
    return out


class Classifier(nn.Module):
    def __init__(self, vocab, emb, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.rnn = nn.GRU(emb, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 2)

    def forward(self, tokens):
        states, _ = self.rnn(self.emb(tokens))
        return self.out(states[:, -1])


def main():
    args = parse()
    torch.manual_seed(args.seed)

    def collate(batch):
        seqs = [s for s, _ in batch]
        seqs.append(torch.zeros(args.max_len, dtype=torch.long))
        x = pad_sequence(seqs, batch_first=True, padding_value=PAD)[:-1]
        return x, torch.tensor([l for _, l in batch])

    train = DataLoader(reviews(640), batch_size=32, shuffle=True, collate_fn=collate)
    test = DataLoader(reviews(200), batch_size=100, collate_fn=collate)
    model = Classifier(60, args.emb, args.hidden)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for x, y in train:
            opt.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            hits = sum((model(x).argmax(1) == y).sum().item() for x, y in test)
        print(f"epoch {epoch} train {total / len(train):.4f} test acc {hits / 200:.3f}")


main()
