# fault: none
# family: rnn
# split: tune
# Sequences of very different length, packed; most of each padded batch is padding.
import os

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(int(os.environ.get("SEED", "0")))

VOCAB = 12


def make(n):
    data = []
    for _ in range(n):
        length = int(3 + 27 * torch.rand(()) ** 2.5)
        seq = torch.randint(1, VOCAB, (length,))
        data.append((seq, int((seq < 6).sum() > (seq >= 6).sum())))
    return data


def collate(batch):
    batch.sort(key=lambda b: -len(b[0]))
    seqs, labels = zip(*batch)
    return pad_sequence(seqs, batch_first=True), torch.tensor([len(s) for s in seqs]), torch.tensor(labels)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, 16, padding_idx=0)
        self.lstm = nn.LSTM(16, 32, batch_first=True)
        self.out = nn.Linear(32, 2)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(self.emb(x), lengths, batch_first=True)
        _, (h, _) = self.lstm(packed)
        return self.out(h[-1])


loader = DataLoader(make(1000), batch_size=40, shuffle=True, collate_fn=collate)
model = Classifier()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
hist = []
for epoch in range(8):
    pad = total = 0
    for x, lengths, y in loader:
        pad += int((x == 0).sum())
        total += x.numel()
        opt.zero_grad()
        loss = criterion(model(x, lengths), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        hist.append(loss.item())
print(f"padding {pad / total:.2f}")
print(f"loss first {hist[0]:.4f} last {sum(hist[-10:]) / 10:.4f}")
