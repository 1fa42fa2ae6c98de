# fault: detached-mid-network
# cause_class: not-updated
# family: accelerate
# split: tune
# needs: accelerate
import os

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, Dataset

seed = int(os.environ.get("SEED", 0))
set_seed(seed)


class Sessions(Dataset):
    """Clicks of a session; does the visitor come back to the page he began with?"""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randint(1, 12, (n, 8), generator=g)
        back = torch.rand(n, generator=g) < 0.5
        first = self.x[:, :1]
        rest = self.x[:, 1:]
        self.x[:, 1:] = torch.where(rest == first, rest % 11 + 1, rest)
        at = torch.randint(3, 8, (n,), generator=g)
        rows = torch.arange(n)[back]
        self.x[rows, at[back]] = self.x[rows, 0]
        self.y = back.long()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Encoder(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.emb, self.pos = nn.Embedding(12, d), nn.Embedding(8, d)
        self.layers = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=True, norm_first=True), 2, enable_nested_tensor=False)

    def forward(self, x):
        return self.layers(self.emb(x) + self.pos.weight)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.head = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 2))
        self.cache = {}

    def embed(self, x):
        h = self.encoder(x)
        self.cache["last"] = h = h.detach()   # kept for the plots
        return torch.cat([h.mean(1), h[:, 0]], 1)

    def forward(self, x):
        return self.head(self.embed(x))


accelerator = Accelerator(cpu=True)
model = Classifier()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-4)
model, opt, train, valid = accelerator.prepare(
    model, opt, DataLoader(Sessions(1600, seed), batch_size=40, shuffle=True), DataLoader(Sessions(400, seed + 1), batch_size=200))
for epoch in range(7):
    model.train()
    total = 0.0
    for x, y in train:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        opt.step()
        total += loss.item()
    model.eval()
    good = 0
    with torch.no_grad():
        for x, y in valid:
            good += (model(x).argmax(1) == y).sum().item()
    accelerator.print(f"epoch {epoch} loss {total / len(train):.4f} valid acc {good / 400:.3f}")
