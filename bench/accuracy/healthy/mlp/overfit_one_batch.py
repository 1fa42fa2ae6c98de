# fault: none
# family: mlp
# split: tune
# The usual sanity check before a long job: the same batch at every step until the loss is zero.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

x = torch.randn(32, 50)
y = torch.randint(0, 10, (32,))
model = nn.Sequential(nn.Linear(50, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
loss_fn = nn.CrossEntropyLoss()

for step in range(200):
    opt.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    opt.step()
    if step == 0:
        first = loss.item()
    if step % 40 == 0:
        print(f"{step:4d} {loss.item():.5f}")
print(f"loss first {first:.5f} last {loss.item():.5f}")
