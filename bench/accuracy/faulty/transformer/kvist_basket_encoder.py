# fault: not-finite
# cause_class: non-finite, loss, data-loading, structure
# family: transformer
# split: held
"""Predict whether a customer comes back from the list of products in the basket."""
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

seed = int(os.environ.get("SEED", "0"))
torch.manual_seed(seed)
rng = np.random.default_rng(seed)
VOCAB, MAXLEN = 60, 12


class Baskets(Dataset):
    def __init__(self, n):
        self.rows = []
        taste = np.random.default_rng(7).normal(size=VOCAB)
        for _ in range(n):
            k = min(MAXLEN, rng.poisson(5.0))
            items = rng.integers(1, VOCAB, size=k)
            score = taste[items].sum() if k else 0.0
            self.rows.append((items, float(score > 0)))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def collate(batch):
    ids = torch.zeros(len(batch), MAXLEN, dtype=torch.long)
    for r, (items, _) in enumerate(batch):
        ids[r, : len(items)] = torch.as_tensor(items)
    return ids, torch.tensor([b[1] for b in batch])


class Attn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.qkv, self.o = h, nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x, keep):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-1, -2) / (d // self.h) ** 0.5
        s = s.masked_fill(~keep[:, None, None, :], float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))


class Model(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, d, padding_idx=0)
        self.n1, self.attn = nn.LayerNorm(d), Attn(d, 4)
        self.n2, self.ff = nn.LayerNorm(d), nn.Sequential(nn.Linear(d, 64), nn.GELU(), nn.Linear(64, d))
        self.out = nn.Linear(d, 1)

    def forward(self, ids):
        keep = ids != 0
        x = self.emb(ids)
        x = x + self.attn(self.n1(x), keep)
        x = x + self.ff(self.n2(x))
        m = keep.unsqueeze(-1).float()
        pooled = (x * m).sum(1) / m.sum(1).clamp(min=1)
        return self.out(pooled).squeeze(1)


def main():
    dl = DataLoader(Baskets(1600), batch_size=32, shuffle=True, collate_fn=collate)
    model = Model()
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    lossf = nn.BCEWithLogitsLoss()
    for epoch in range(5):
        run = []
        for ids, y in dl:
            loss = lossf(model(ids), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            run.append(loss.item())
        print("epoch", epoch, "first", round(run[0], 4), "mean", round(float(np.mean(run)), 4))


if __name__ == "__main__":
    main()
