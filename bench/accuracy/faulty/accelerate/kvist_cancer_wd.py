# fault: weight-decay-too-strong
# cause_class: regularisation, optimizer, structure, activation
# family: accelerate
# split: held
# needs: accelerate, sklearn
import argparse
import os

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale
from torch.utils.data import DataLoader, TensorDataset

p = argparse.ArgumentParser()
p.add_argument("--lr", type=float, default=0.05)
p.add_argument("--wd", type=float, default=0.5)
p.add_argument("--hidden", type=int, default=32)
p.add_argument("--epochs", type=int, default=40)
a = p.parse_args([])
set_seed(int(os.environ.get("SEED", 0)))

wine = load_wine()
x = torch.tensor(scale(wine.data), dtype=torch.float32)
y = torch.tensor(wine.target)
perm = torch.randperm(len(x))
tr, te = perm[:130], perm[130:]

accelerator = Accelerator(cpu=True)
model = nn.Sequential(nn.Linear(13, a.hidden), nn.ReLU(), nn.Linear(a.hidden, a.hidden), nn.ReLU(), nn.Linear(a.hidden, 3))
opt = torch.optim.SGD(model.parameters(), lr=a.lr, momentum=0.9, weight_decay=a.wd, nesterov=True)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.epochs * 9)
loader = DataLoader(TensorDataset(x[tr], y[tr]), batch_size=16, shuffle=True)
model, opt, loader, sched = accelerator.prepare(model, opt, loader, sched)
for epoch in range(a.epochs):
    model.train()
    tot = 0
    for xb, yb in loader:
        loss = nn.functional.cross_entropy(model(xb), yb)
        opt.zero_grad()
        accelerator.backward(loss)
        opt.step()
        sched.step()
        tot += loss.item()
    if epoch % 8 == 7:
        model.eval()
        with torch.no_grad():
            out = model(x[te])
        accelerator.print(f"epoch {epoch + 1} loss {tot / len(loader):.4f} test loss {nn.functional.cross_entropy(out, y[te]).item():.4f} acc {(out.argmax(1) == y[te]).float().mean().item():.3f}")
