# fault: none
# family: regression
# split: tune
# Monte Carlo dropout: evaluation with dropout left on, on purpose, to get an uncertainty.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

x = torch.cat([torch.rand(400, 1) * 2 - 3, torch.rand(400, 1) * 2 + 1])
y = torch.sin(x) + 0.05 * torch.randn_like(x)
net = nn.Sequential(
    nn.Linear(1, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 1)
)
opt = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=1e-5)
mse = nn.MSELoss()
grid = torch.linspace(-4, 4, 50).unsqueeze(1)


def predict_with_uncertainty(samples=10):
    net.eval()
    for m in net.modules():
        if isinstance(m, nn.Dropout):
            m.train()
    with torch.no_grad():
        draws = torch.stack([net(grid) for _ in range(samples)])
    return draws.mean(0), draws.std(0)


hist = []
for epoch in range(10):
    net.train()
    for i in torch.randperm(800).split(25):
        opt.zero_grad()
        loss = mse(net(x[i]), y[i])
        loss.backward()
        opt.step()
        hist.append(loss.item())
    mean, std = predict_with_uncertainty()
    print(f"epoch {epoch} mean uncertainty {std.mean():.3f}")
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
