# fault: none
# family: reservoir
# split: held
# echo state network: random recurrent weights stay as drawn, only the linear readout is trained
import math
import os

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


def mackey_glass(n, tau=17, beta=0.2, gamma=0.1):
    x = [1.2 + 0.05 * torch.randn(()).item() for _ in range(tau + 1)]
    for _ in range(n + 200):
        x.append(x[-1] + beta * x[-tau - 1] / (1 + x[-tau - 1] ** 10) - gamma * x[-1])
    s = torch.tensor(x[-n:])
    return (s - s.mean()) / s.std()


class Reservoir(nn.Module):
    def __init__(self, size=200, radius=0.9, density=0.05, leak=0.6):
        super().__init__()
        w = torch.randn(size, size) * (torch.rand(size, size) < density)
        w *= radius / torch.linalg.eigvals(w).abs().max()
        self.w = nn.Parameter(w, requires_grad=False)
        self.win = nn.Parameter(torch.rand(size) * 2 - 1, requires_grad=False)
        self.bias = nn.Parameter(0.2 * torch.randn(size), requires_grad=False)
        self.leak = leak
        self.readout = nn.Linear(size, 1)

    @torch.no_grad()
    def states(self, series):
        h, out = torch.zeros(self.w.shape[0]), []
        for v in series:
            h = (1 - self.leak) * h + self.leak * torch.tanh(self.w @ h + self.win * v + self.bias)
            out.append(h)
        return torch.stack(out)

    def forward(self, h):
        return self.readout(h).squeeze(-1)


horizon, washout = 6, 100
series = mackey_glass(2400)
model = Reservoir()
h = model.states(series[:-horizon])[washout:]
y = series[horizon + washout:]
cut = 1800
mu, sd = h[:cut].mean(0), h[:cut].std(0)
h = (h - mu) / sd
opt = torch.optim.SGD(model.readout.parameters(), lr=2e-3, momentum=0.9)
for epoch in range(25):
    tot = 0.0
    for idx in torch.randperm(cut).split(30):
        loss = F.mse_loss(model(h[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(idx) / cut
    with torch.no_grad():
        nrmse = math.sqrt(F.mse_loss(model(h[cut:]), y[cut:]).item())
    if epoch % 3 == 0:
        print(f"epoch {epoch} train mse {tot:.5f} later part nrmse {nrmse:.4f}")
