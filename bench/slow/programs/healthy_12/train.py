"""Valence of product reviews (invented words) of very different lengths; batches hold reviews of about the same length."""
import random
import time

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Sampler

WORDS = 2000


class ByLength(Sampler):
    """Shuffles, then sorts by length within large chunks."""

    def __init__(self, lengths, batch, chunk=24):
        self.lengths, self.batch, self.chunk = lengths, batch, chunk

    def __len__(self):
        return (len(self.lengths) + self.batch - 1) // self.batch

    def __iter__(self):
        order = list(range(len(self.lengths)))
        random.shuffle(order)
        batches = []
        for i in range(0, len(order), self.batch * self.chunk):
            part = sorted(order[i : i + self.batch * self.chunk], key=lambda k: self.lengths[k])
            batches += [part[j : j + self.batch] for j in range(0, len(part), self.batch)]
        random.shuffle(batches)
        return iter(batches)


def collate(items):
    items.sort(key=lambda item: -len(item[0]))
    texts, marks = zip(*items)
    return pad_sequence(texts, batch_first=True), torch.tensor([len(t) for t in texts]), torch.tensor(marks)


class ReviewLSTM(nn.Module):
    def __init__(self, dim=64, hidden=128):
        super().__init__()
        self.words = nn.Embedding(WORDS, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, 1)

    def forward(self, texts, lengths):
        packed = pack_padded_sequence(self.words(texts), lengths, batch_first=True)
        _, (h, _) = self.lstm(packed)
        return self.out(torch.cat([h[0], h[1]], 1)).squeeze(1)


def reviews(n):
    valence = torch.randn(WORDS)
    found = []
    for _ in range(n):
        length = min(120, max(4, int(random.lognormvariate(3.2, 0.7))))
        words = torch.randint(1, WORDS, (length,))
        found.append((words, float(valence[words].sum() + 0.5 * valence[words[-3:]].sum() > 0)))
    return found


def main():
    random.seed(3)
    torch.manual_seed(3)
    data = reviews(4000)
    loader = DataLoader(data, batch_sampler=ByLength([len(t) for t, _ in data], 64), collate_fn=collate)
    model = ReviewLSTM()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    loss_fn = nn.BCEWithLogitsLoss()
    start = time.time()
    for epoch in range(4):
        right = 0
        for texts, lengths, marks in loader:
            out = model(texts, lengths)
            loss = loss_fn(out, marks)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimizer.step()
            right += ((out > 0) == (marks > 0.5)).sum().item()
        print(f"epoch {epoch}: accuracy {right / len(data):.3f}, {time.time() - start:.1f} s")


if __name__ == "__main__":
    main()
