# fault: mostly-padding
# cause_class: data-loading, structure
# family: sequence
# split: held
import os
import torch
from torch import nn
from torch.utils.data import DataLoader

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
PAD, VOCAB = 0, 50
MAX_LEN = 128
g = torch.Generator().manual_seed(SEED)


def ticket():
    n = int(torch.randint(4, 9, (1,), generator=g))
    words = torch.randint(1, VOCAB, (n,), generator=g)
    return words, min(int(words[0]) // 17, 2)


def collate(rows):
    ids = torch.full((len(rows), MAX_LEN), PAD)
    for k, (w, _) in enumerate(rows):
        ids[k, :len(w)] = w
    return ids, torch.tensor([y for _, y in rows])


class Router(nn.Module):
    def __init__(self, d=24):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, d, padding_idx=PAD)
        self.rnn = nn.RNN(d, 32, batch_first=True)
        self.out = nn.Linear(32, 3)

    def forward(self, ids):
        h, _ = self.rnn(self.emb(ids))
        return self.out(h[:, -1])


train = DataLoader([ticket() for _ in range(800)], batch_size=20, shuffle=True, collate_fn=collate)
model = Router()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(5):
    tot = hit = 0
    for ids, y in train:
        out = model(ids)
        loss = nn.functional.cross_entropy(out, y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        tot += loss.item()
        hit += (out.argmax(1) == y).sum().item()
    print(f"epoch {epoch} loss {tot / len(train):.4f} acc {hit / 800:.3f}")
