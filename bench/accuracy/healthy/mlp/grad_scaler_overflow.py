# fault: none
# family: mlp
# split: tune
# GradScaler that starts far too high: the first updates overflow and are skipped, as it is meant to be.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

teacher = torch.randn(16, 3)
x = torch.randn(1200, 16)
y = (x @ teacher).argmax(1)

model = nn.Sequential(nn.Linear(16, 48), nn.ReLU(), nn.Linear(48, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**24, growth_interval=60)
loss_fn = nn.CrossEntropyLoss()

skipped, losses = 0, []
for step in range(240):
    i = torch.randint(0, 1200, (64,))
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = loss_fn(model(x[i]), y[i])
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    before = scaler.get_scale()
    scaler.step(optimizer)
    scaler.update()
    skipped += int(scaler.get_scale() < before)
    losses.append(loss.item())
print("skipped", skipped, "scale", scaler.get_scale())
print(f"loss first {losses[0]:.4f} last {losses[-1]:.4f}")
