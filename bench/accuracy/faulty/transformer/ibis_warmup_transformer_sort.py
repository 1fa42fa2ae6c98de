# fault: learning-rate-too-low
# cause_class: learning-rate, optimizer
# family: transformer
# split: held
import math
import os

import torch
import torch.nn as nn
from torch.optim.lr_scheduler import LambdaLR

torch.manual_seed(int(os.environ.get("SEED", 0)))

VOCAB, LEN, D = 12, 8, 32
EPOCHS, STEPS_PER_EPOCH, BATCH = 10, 50, 32


def get_batch():
    """the model sees a sequence and has to write it in sorted order"""
    x = torch.randint(0, VOCAB, (BATCH, LEN))
    return x, x.sort(dim=1).values


class Sorter(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, D)
        self.pos = nn.Parameter(0.02 * torch.randn(1, LEN, D))
        layer = nn.TransformerEncoderLayer(D, 4, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(D)
        self.head = nn.Linear(D, VOCAB)

    def forward(self, x):
        return self.head(self.norm(self.enc(self.tok(x) + self.pos)))


def warmup_cosine(optimizer, warmup_steps, total_steps):
    def factor(step):
        if step < warmup_steps:
            return (step + 1) / warmup_steps
        t = (step - warmup_steps) / max(1, total_steps - warmup_steps)
        return 0.5 * (1 + math.cos(math.pi * t))
    return LambdaLR(optimizer, factor)


model = Sorter()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
scheduler = warmup_cosine(optimizer, warmup_steps=300, total_steps=2000)
loss_fn = nn.CrossEntropyLoss()

for epoch in range(EPOCHS):
    model.train()
    total_loss = 0.0
    for _ in range(STEPS_PER_EPOCH):
        x, y = get_batch()
        loss = loss_fn(model(x).flatten(0, 1), y.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total_loss += loss.item()
    scheduler.step()
    model.eval()
    with torch.no_grad():
        x, y = get_batch()
        acc = (model(x).argmax(-1) == y).float().mean()
    print(f"epoch {epoch:2d} | loss {total_loss / STEPS_PER_EPOCH:.4f} | token acc {acc:.3f} | lr {scheduler.get_last_lr()[0]:.2e}")
