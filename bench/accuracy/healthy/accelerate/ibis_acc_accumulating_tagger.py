# fault: none
# family: accelerate
# split: held
# needs: accelerate
import os

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset

set_seed(int(os.environ.get("SEED", 0)))
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=4)


def sentences(n, length=12):
    x = torch.randint(0, 40, (n, length))
    prev = torch.cat([torch.zeros(n, 1, dtype=torch.long), x[:, :-1]], 1)
    return x, (x % 3 + (prev >= 20).long() * 3)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(40, 24)
        self.lstm = nn.LSTM(24, 32, batch_first=True, bidirectional=True)
        self.out = nn.Linear(64, 6)

    def forward(self, x):
        return self.out(self.lstm(self.emb(x))[0])


train = DataLoader(TensorDataset(*sentences(1600)), batch_size=8, shuffle=True)
val = DataLoader(TensorDataset(*sentences(200)), batch_size=100)
model = Tagger()
optimizer = torch.optim.AdamW(model.parameters(), lr=8e-3)
model, optimizer, train, val = accelerator.prepare(model, optimizer, train, val)
loss_fn = nn.CrossEntropyLoss()

for epoch in range(4):
    model.train()
    total = 0.0
    for x, y in train:
        with accelerator.accumulate(model):
            loss = loss_fn(model(x).flatten(0, 1), y.flatten())
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        total += loss.item()
    model.eval()
    hits = n = 0
    for x, y in val:
        with torch.no_grad():
            p = model(x).argmax(-1)
        p, y = accelerator.gather_for_metrics((p, y))
        hits, n = hits + (p == y).sum().item(), n + y.numel()
    accelerator.print(f"epoch {epoch} loss {total / len(train):.4f} val acc {hits / n:.3f}")
