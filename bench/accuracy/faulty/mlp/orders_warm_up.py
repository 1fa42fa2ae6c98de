# fault: learning-rate-too-low
# cause_class: learning-rate, optimizer
# family: mlp
# split: tune
# twin: healthy/twins/orders_warm_up.py
"""Which of four desks an order goes to; the rate is warmed up by hand."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.randn(1200, 10)
desk = (x[:, 0] > 0).long() + 2 * (x[:, 1] > 0).long()
cfg = {"lr": 2e-3, "warmup": 30_000, "epochs": 8}
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 4))
opt = torch.optim.AdamW(model.parameters(), lr=cfg["lr"])
step = 0
for epoch in range(cfg["epochs"]):
    for i in torch.randperm(1200).split(32):
        step += 1
        for group in opt.param_groups:
            group["lr"] = cfg["lr"] * min(1.0, step / cfg["warmup"])
        loss = nn.functional.cross_entropy(model(x[i]), desk[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
