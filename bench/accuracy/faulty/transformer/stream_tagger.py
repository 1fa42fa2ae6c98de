# fault: identical-batches
# cause_class: data-loading, overfit
# family: transformer
# split: held
"""Classifies event streams; data come from an endless generator, steps instead of epochs."""
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)
VOCAB, LENGTH, CLASSES = 40, 16, 4


class EventStream(IterableDataset):
    def __init__(self, seed, chunk=64):
        self.seed, self.chunk = seed, chunk

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed)
        while True:
            y = torch.randint(0, CLASSES, (self.chunk,), generator=g)
            x = torch.randint(0, VOCAB, (self.chunk, LENGTH), generator=g)
            hint = y[:, None] * 4 + torch.randint(0, 4, (self.chunk, LENGTH), generator=g)
            x = torch.where(torch.rand(self.chunk, LENGTH, generator=g) < 0.2, hint, x)
            yield from zip(x, y)


class EventClassifier(nn.Module):
    def __init__(self, d=32, heads=4, layers=1):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, d)
        self.pos = nn.Parameter(0.02 * torch.randn(LENGTH, d))
        layer = nn.TransformerEncoderLayer(d, heads, 2 * d, dropout=0.1, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, CLASSES)

    def forward(self, x):
        h = self.encoder(self.tok(x) + self.pos)
        return self.head(self.norm(h).mean(1))


class Loop:
    def __init__(self, model, stream, lr=2e-3, batch_size=64):
        self.model = model
        self.loader = DataLoader(stream, batch_size=batch_size)
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr)
        self.warmup = torch.optim.lr_scheduler.LinearLR(self.opt, 0.1, 1.0, total_iters=20)

    def next_batch(self):
        return next(iter(self.loader))

    def step(self):
        self.model.train()
        x, y = self.next_batch()
        loss = nn.functional.cross_entropy(self.model(x), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.warmup.step()
        return loss.item()


def validate(model, n_batches=4):
    model.eval()
    it = iter(DataLoader(EventStream(SEED + 1000), batch_size=128))
    loss = acc = 0.0
    with torch.no_grad():
        for _ in range(n_batches):
            x, y = next(it)
            out = model(x)
            loss += nn.functional.cross_entropy(out, y).item() / n_batches
            acc += (out.argmax(1) == y).float().mean().item() / n_batches
    return loss, acc


model = EventClassifier()
loop = Loop(model, EventStream(SEED))
for step in range(1, 301):
    loss = loop.step()
    if step % 50 == 0:
        vl, va = validate(model)
        print(f"step {step} loss {loss:.4f} valid {vl:.4f} acc {va:.3f}")
