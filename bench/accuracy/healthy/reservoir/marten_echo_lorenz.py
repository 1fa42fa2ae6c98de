# fault: none
# family: reservoir
# split: held
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def lorenz(n, dt=0.02):
    s, out = torch.tensor([1.0, 1.0, 20.0]), []
    for _ in range(n + 200):
        x, y, z = s
        s = s + dt * torch.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])
        out.append(s)
    a = torch.stack(out[200:])
    return (a - a.mean(0)) / a.std(0)


class EchoState(nn.Module):
    """A recurrent layer that stays as it was drawn, and a linear reading of it."""

    def __init__(self, units=200, radius=0.9):
        super().__init__()
        w = torch.randn(units, units) * (torch.rand(units, units) < 0.1)
        self.w = nn.Parameter(w * radius / torch.linalg.eigvals(w).abs().max(), requires_grad=False)
        self.w_in = nn.Parameter(0.5 * torch.randn(3, units), requires_grad=False)
        self.read = nn.Linear(units, 3)

    @torch.no_grad()
    def states(self, series):
        h, out = torch.zeros(self.w.shape[0]), []
        for u in series:
            h = torch.tanh(u @ self.w_in + h @ self.w)
            out.append(h)
        return torch.stack(out)

    def forward(self, states):
        return self.read(states)


series = lorenz(2200)
net = EchoState()
h = net.states(series)
AHEAD = 10
inputs, goal = h[100:-AHEAD], series[100 + AHEAD:]
cut = 1700
opt = torch.optim.Adam(filter(lambda p: p.requires_grad, net.parameters()), lr=3e-3)
for step in range(800):
    i = torch.randint(cut, (128,))
    loss = (net(inputs[i]) - goal[i]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0 or step == 799:
        with torch.no_grad():
            test = (net(inputs[cut:]) - goal[cut:]).pow(2).mean()
        print(f"{step} train {loss.item():.4f} test {test.item():.4f}")
