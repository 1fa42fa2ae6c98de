# fault: none
# family: rnn
# split: held
import os
import random
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
torch.manual_seed(SEED)


def review():
    y = random.randrange(3)
    n = int(min(90, 4 + random.expovariate(1 / 8)))      # a few are very long
    ids = [random.randrange(1, 50) if random.random() < 0.6 else 50 + 8 * y + random.randrange(8) for _ in range(n)]
    return torch.tensor(ids), y


def collate(batch):
    seqs, ys = zip(*batch)
    return pad_sequence(seqs, batch_first=True), torch.tensor([len(s) for s in seqs]), torch.tensor(ys)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(80, 20, padding_idx=0)
        self.rnn = nn.LSTM(20, 24, batch_first=True)
        self.fc = nn.Linear(24, 3)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.emb(ids), lengths, batch_first=True, enforce_sorted=False)
        _, (h, _) = self.rnn(packed)
        return self.fc(h[-1])


train = DataLoader([review() for _ in range(700)], 32, shuffle=True, collate_fn=collate)
test = DataLoader([review() for _ in range(200)], 200, collate_fn=collate)
net = Classifier()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
for epoch in range(6):
    net.train()
    s, pad, tot = 0.0, 0, 0
    for ids, lens, y in train:
        loss = nn.functional.cross_entropy(net(ids, lens), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / len(train)
        pad, tot = pad + (ids == 0).sum().item(), tot + ids.numel()
    net.eval()
    with torch.no_grad():
        ids, lens, y = next(iter(test))
        acc = (net(ids, lens).argmax(1) == y).float().mean().item()
    print(f"epoch {epoch} loss {s:.3f} acc {acc:.3f} padding {pad / tot:.2f}")
