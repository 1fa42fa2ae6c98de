# fault: none
# family: accelerate
# split: tune
# needs: accelerate
import os

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
accelerator = Accelerator(cpu=True, mixed_precision="bf16")


def claims(n):
    x = torch.randn(n, 15)
    score = x[:, 0] * x[:, 1] + x[:, 2] - 0.5 * x[:, 3].abs()
    return x, (score > 1.9).float()


x, y = claims(4000)
xv, yv = claims(2000)
weights = torch.where(y > 0, 1 / y.mean(), 1 / (1 - y.mean()))
sampler = WeightedRandomSampler(weights.tolist(), num_samples=2000)
model = nn.Sequential(nn.Linear(15, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1), nn.Flatten(0))
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.05)
model, opt, train, valid = accelerator.prepare(model, opt, DataLoader(TensorDataset(x, y), batch_size=50, sampler=sampler),
                                               DataLoader(TensorDataset(xv, yv), batch_size=500))
bce = nn.BCEWithLogitsLoss()
print("share of claims", y.mean().item())
for epoch in range(10):
    model.train()
    s = 0.0
    for a, b in train:
        with accelerator.autocast():
            loss = bce(model(a).float(), b)
        accelerator.backward(loss)
        opt.step()
        opt.zero_grad()
        s += loss.item()
    model.eval()
    outs, labels = [], []
    with torch.no_grad():
        for a, b in valid:
            o, b = accelerator.gather_for_metrics((model(a).float(), b))
            outs.append(o)
            labels.append(b)
    o, b = torch.cat(outs) > 0, torch.cat(labels) > 0.5
    rec, spec = (o & b).sum() / b.sum(), (~o & ~b).sum() / (~b).sum()
    accelerator.print(f"epoch {epoch} loss {s / len(train):.4f} balanced accuracy {(rec + spec).item() / 2:.3f}")
