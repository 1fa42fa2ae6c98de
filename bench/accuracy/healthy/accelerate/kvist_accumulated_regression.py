# fault: none
# family: accelerate
# split: held
# needs: accelerate, sklearn
import os

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_diabetes
from torch.utils.data import DataLoader, TensorDataset

set_seed(int(os.environ.get("SEED", 0)))
d = load_diabetes()
x = torch.tensor(d.data, dtype=torch.float32) * 21
y = torch.tensor(d.target, dtype=torch.float32)
y = ((y - y.mean()) / y.std()).unsqueeze(1)
p = torch.randperm(len(x))
acc = Accelerator(cpu=True, gradient_accumulation_steps=4)
model = nn.Sequential(nn.Linear(10, 32), nn.SiLU(), nn.Dropout(0.1), nn.Linear(32, 1))
opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
loader = DataLoader(TensorDataset(x[p[:352]], y[p[:352]]), batch_size=8, shuffle=True)
model, opt, loader = acc.prepare(model, opt, loader)
xv, yv = x[p[352:]], y[p[352:]]
for epoch in range(16):
    model.train()
    s = 0.0
    for xb, yb in loader:
        with acc.accumulate(model):
            loss = nn.functional.smooth_l1_loss(model(xb), yb)
            acc.backward(loss)
            opt.step()
            opt.zero_grad()
        s += loss.item()
    model.eval()
    with torch.no_grad():
        v = nn.functional.smooth_l1_loss(model(xv), yv).item()
    if epoch % 2:
        acc.print(f"epoch {epoch} train {s / len(loader):.4f} val {v:.4f}")
