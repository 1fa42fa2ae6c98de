"""Solves a bending plate (biharmonic equation) with a network. The fourth derivatives need double precision."""
import time

import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(5)
PI = torch.pi


class Plate(torch.nn.Module):
    def __init__(self, width=64, depth=3):
        super().__init__()
        sizes = [2] + [width] * depth
        self.layers = torch.nn.ModuleList(torch.nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.last = torch.nn.Linear(width, 1)

    def forward(self, p):
        h = p
        for layer in self.layers:
            h = torch.tanh(layer(h))
        edge = torch.sin(PI * p[:, :1]) * torch.sin(PI * p[:, 1:])
        return edge * self.last(h)


def laplacian(u, p):
    g = torch.autograd.grad(u.sum(), p, create_graph=True)[0]
    xx = torch.autograd.grad(g[:, 0].sum(), p, create_graph=True)[0][:, :1]
    yy = torch.autograd.grad(g[:, 1].sum(), p, create_graph=True)[0][:, 1:]
    return xx + yy


def load(p):
    return 4 * PI**4 * torch.sin(PI * p[:, :1]) * torch.sin(PI * p[:, 1:])


plate = Plate()
optimizer = torch.optim.Adam(plate.parameters(), lr=2e-3)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.98)
begin = time.time()
for step in range(1, 81):
    p = torch.rand(1000, 2, requires_grad=True)
    w = plate(p)
    residual = (laplacian(laplacian(w, p), p) - load(p)) / (4 * PI**4)
    loss = residual.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    if step % 10 == 0:
        with torch.no_grad():
            q = torch.rand(500, 2)
            exact = torch.sin(PI * q[:, :1]) * torch.sin(PI * q[:, 1:])
            error = (plate(q) - exact).abs().max().item()
        print(f"step {step}: residual {loss.item():.3e} error {error:.3e} {time.time() - begin:.1f} s")
