# fault: none
# family: mlp
# split: tune
# Eight micro-batches for one update, the loss divided by eight.
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Rings(Dataset):
    def __init__(self, n):
        t = torch.rand(n) * 6.2832
        self.y = torch.randint(0, 4, (n,))
        r = 1.0 + self.y.float() + 0.15 * torch.randn(n)
        self.x = torch.stack([r * t.cos(), r * t.sin()], dim=1) / 3

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


ACCUM = 8
loader = DataLoader(Rings(6400), batch_size=8, shuffle=True, drop_last=True)
model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.Adam(model.parameters(), lr=8e-3)

updates, curve = 0, []
for epoch in range(2):
    opt.zero_grad()
    window = 0.0
    for i, (x, y) in enumerate(loader, 1):
        loss = loss_fn(model(x), y) / ACCUM
        loss.backward()
        window += loss.item()
        if i % ACCUM == 0:
            opt.step()
            opt.zero_grad()
            updates += 1
            curve.append(window)
            window = 0.0
print("updates", updates)
print(f"loss first {curve[0]:.4f} last {curve[-1]:.4f}")
