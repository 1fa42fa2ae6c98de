# fault: none
# family: timeseries
# split: tune
"""Tomorrow's return of an index from the last ten: a hundredth of the variance can be explained."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
noise = torch.randn(6000)
r = noise.clone()
for t in range(1, 6000):
    r[t] = 0.12 * r[t - 1] + noise[t]
x = torch.stack([r[t : t + 10] for t in range(5900)])
y = torch.stack([r[t + 10 : t + 11] for t in range(5900)])
model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4)
for epoch in range(8):
    for i in torch.randperm(5000).split(160):
        loss = nn.functional.mse_loss(model(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(epoch, 1 - (nn.functional.mse_loss(model(x[5000:]), y[5000:]) / y[5000:].var()).item())
