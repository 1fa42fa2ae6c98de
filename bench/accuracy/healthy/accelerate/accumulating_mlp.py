# fault: none
# family: accelerate
# split: tune
# needs: accelerate
import os

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

set_seed(int(os.environ.get("SEED", 0)))
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=4)

x = torch.randn(2400, 10)
logits = torch.stack([x[:, 0] * x[:, 1], x[:, 2] + x[:, 3], x[:, 4].abs() - 0.8], 1)
y = logits.argmax(1)
train = DataLoader(TensorDataset(x[:2000], y[:2000]), batch_size=8, shuffle=True)
test = DataLoader(TensorDataset(x[2000:], y[2000:]), batch_size=200)

model = nn.Sequential(nn.Linear(10, 64), nn.LayerNorm(64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=8 * 63)
model, optimizer, train, test, scheduler = accelerator.prepare(model, optimizer, train, test, scheduler)

for epoch in range(8):
    model.train()
    total = 0.0
    for xb, yb in train:
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(xb), yb)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        total += loss.item()
    model.eval()
    right = 0
    for xb, yb in test:
        with torch.no_grad():
            pred = model(xb).argmax(1)
        pred, yb = accelerator.gather_for_metrics((pred, yb))
        right += (pred == yb).sum().item()
    accelerator.print(f"epoch {epoch}: loss {total / len(train):.4f} acc {right / 400:.3f}")
