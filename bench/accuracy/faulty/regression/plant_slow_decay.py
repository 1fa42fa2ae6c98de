# fault: learning-rate-too-low
# cause_class: learning-rate, optimizer
# family: regression
# split: tune
# twin: healthy/twins/plant_slow_decay.py
"""Power output of a plant; the step size is lowered every few epochs."""
import os
import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.randn(2000, 4)
y = 1.5 * x[:, :1] - x[:, 1:2] * x[:, 2:3] + 0.5 * torch.tanh(2 * x[:, 3:]) + 0.1 * torch.randn(2000, 1)
model = nn.Sequential(nn.Linear(4, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-7)
scheduler = StepLR(optimizer, step_size=4, gamma=0.5)
for epoch in range(10):
    model.train()
    s = 0.0
    for b in torch.randperm(1600).split(64):
        optimizer.zero_grad()
        loss = nn.MSELoss()(model(x[b]), y[b])
        loss.backward()
        optimizer.step()
        s += loss.item() * len(b)
    scheduler.step()
    model.eval()
    with torch.no_grad():
        v = nn.MSELoss()(model(x[1600:]), y[1600:])
    print(f"{epoch} train {s / 1600:.4f} val {v:.4f} lr {scheduler.get_last_lr()[0]:.1e}")
