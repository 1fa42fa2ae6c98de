"""Mixed precision: autocast to bfloat16, and a GradScaler where it works on the CPU, with an overflow at the second step."""

import torch
from common import STEPS, Report, batches, blobs
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
criterion = nn.CrossEntropyLoss()
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0) if hasattr(torch.amp, "GradScaler") else None
report = Report(model)
x, y = blobs(1024, 20, 5)
for i, (a, b) in enumerate(batches(x, y, 64, STEPS)):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = criterion(model(a), b)
    if scaler is None:
        loss.backward()
        optimizer.step()
    else:
        scaler.scale(loss).backward()
        if i == 1:
            model[0].weight.grad[0, 0] = float("inf")
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        scaler.step(optimizer)
        scaler.update()
    report.step(loss.item())
report.done()
