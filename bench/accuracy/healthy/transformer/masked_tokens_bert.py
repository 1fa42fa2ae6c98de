# fault: none
# family: transformer
# split: tune
# Masked-token pre-training: only some 15 % of the positions have a label, the rest is -100.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

V, T, D, MASK = 12, 16, 32, 12


class MiniBert(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V + 1, D)
        self.pos = nn.Embedding(T, D)
        layer = nn.TransformerEncoderLayer(D, 2, 64, 0.0, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.lm = nn.Linear(D, V)

    def forward(self, ids):
        return self.lm(self.encoder(self.emb(ids) + self.pos.weight))


def collate(n):
    # every even position repeats two places later: x, y, x, y, ...
    a = torch.randint(0, V, (n, 1)).repeat(1, T)
    b = torch.randint(0, V, (n, 1)).repeat(1, T)
    ids = torch.where(torch.arange(T) % 2 == 0, a, b)
    chosen = torch.rand(n, T) < 0.15
    labels = ids.masked_fill(~chosen, -100)
    return ids.masked_fill(chosen, MASK), labels


model = MiniBert()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
losses = []
for step in range(200):
    ids, labels = collate(32)
    loss = F.cross_entropy(model(ids).flatten(0, 1), labels.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"loss first {losses[0]:.4f} last {losses[-1]:.4f}")
