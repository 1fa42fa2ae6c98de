# fault: none
# family: cnn
# split: tune
# needs: sklearn
"""Digits with SGD, cosine annealing and warm restarts, bf16 autocast."""
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))
d = load_digits()
x = torch.tensor(d.images, dtype=torch.float32)[:, None] / 16
x = (x - x.mean()) / x.std()
y = torch.tensor(d.target)
perm = torch.randperm(len(x))
tr, te = perm[:1440], perm[1440:]
loader = DataLoader(TensorDataset(x[tr], y[tr]), batch_size=48, shuffle=True, drop_last=True)
net = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
                    nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
                    nn.Flatten(), nn.Linear(96, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.08, momentum=0.9, weight_decay=5e-4, nesterov=True)
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=60, T_mult=2, eta_min=1e-5)
for epoch in range(14):
    net.train()
    tot = 0.0
    for xb, yb in loader:
        opt.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(net(xb), yb)
        loss.backward()
        opt.step()
        sched.step()
        tot += loss.item()
    net.eval()
    with torch.inference_mode():
        acc = (net(x[te]).argmax(1) == y[te]).float().mean().item()
    print(f"epoch {epoch} lr {sched.get_last_lr()[0]:.5f} loss {tot / len(loader):.4f} acc {acc:.4f}")
