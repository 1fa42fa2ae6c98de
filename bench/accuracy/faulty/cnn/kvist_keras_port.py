# fault: running-statistics
# cause_class: eval-mode, structure
# family: cnn
# split: held
# needs: sklearn
import os
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))

# same numbers as in the Keras notebook
BN = partial(nn.BatchNorm2d, momentum=0.0003, eps=1e-3)
FILTERS = (16, 32, 32)


class KerasLike(nn.Module):
    def __init__(self):
        super().__init__()
        c, blocks = 1, []
        for f in FILTERS:
            blocks += [nn.Conv2d(c, f, 3, padding="same"), BN(f), nn.ReLU()]
            if f == 32:
                blocks.append(nn.MaxPool2d(2))
            c = f
        self.blocks = nn.Sequential(*blocks)
        self.dense = nn.Linear(c * 4, 10)

    def forward(self, x):
        return self.dense(self.blocks(x).flatten(1))


digits = load_digits()
x = torch.tensor(digits.images, dtype=torch.float32)[:, None]
x = (x - x.mean()) / x.std()
y = torch.tensor(digits.target)
p = torch.randperm(len(x))
train = DataLoader(TensorDataset(x[p[:1300]], y[p[:1300]]), 32, shuffle=True, drop_last=True)
xv, yv = x[p[1300:]], y[p[1300:]]
model = KerasLike()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(5):
    model.train()
    tr = 0.0
    for xb, yb in train:
        loss = F.cross_entropy(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tr += loss.item() / len(train)
    model.eval()
    with torch.no_grad():
        o = model(xv)
    print(f"epoch {epoch + 1} loss {tr:.4f} val_loss {F.cross_entropy(o, yv).item():.4f} val_acc {(o.argmax(1) == yv).float().mean().item():.3f}")
