# fault: none
# family: kan
# split: tune
# Kolmogorov-Arnold layers: learnt splines on the edges; hat functions outside their support get no gradient.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class KANLayer(nn.Module):
    def __init__(self, i, o, grid=12, low=-2.0, high=2.0):
        super().__init__()
        self.register_buffer("knots", torch.linspace(low, high, grid))
        self.h = (high - low) / (grid - 1)
        self.coef = nn.Parameter(torch.randn(i, o, grid) * 0.1)
        self.base = nn.Linear(i, o)

    def forward(self, x):
        hats = (1 - (x.unsqueeze(-1) - self.knots).abs() / self.h).clamp(min=0)
        return self.base(nn.functional.silu(x)) + torch.einsum("big,iog->bo", hats, self.coef)


model = nn.Sequential(KANLayer(2, 5), KANLayer(5, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
criterion = nn.MSELoss()
x = torch.rand(1500, 2) * 2 - 1
y = torch.exp(torch.sin(3.14 * x[:, :1]) + x[:, 1:] ** 2)
y = (y - y.mean()) / y.std()
log = []
for step in range(250):
    i = torch.randint(0, 1500, (64,))
    loss = criterion(model(x[i]), y[i])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    log.append(loss.item())
print(f"loss first {log[0]:.4f} last {log[-1]:.4f}")
