"""Temperature of a heat exchanger as a function of its state, with a compiled network."""
import time

import torch
import torch.nn as nn

torch.manual_seed(0)
N, D = 65536, 40
x = torch.randn(N, D)
mix = torch.randn(D, 12) / D**0.5
h = x @ mix
y = (torch.sin(2 * h[:, :4]).sum(1) + h[:, 4] * h[:, 5] + h[:, 6:].abs().max(1).values).unsqueeze(1)
y = (y - y.mean()) / y.std() + 0.05 * torch.randn(N, 1)


class Swish(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.beta = nn.Parameter(torch.ones(width))

    def forward(self, v):
        return v * torch.sigmoid(self.beta * v)


def layer(a, b):
    return nn.Sequential(nn.Linear(a, b), nn.LayerNorm(b), Swish(b))


net = nn.Sequential(layer(D, 384), layer(384, 384), layer(384, 384), nn.Linear(384, 1))
model = torch.compile(net)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
loss_fn = nn.HuberLoss()

begin = time.perf_counter()
for epoch in range(7):
    running = torch.zeros(())
    for rows in torch.randperm(N).view(-1, 512):
        loss = loss_fn(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.detach()
    print(f"epoch {epoch}  loss {running.item() * 512 / N:.4f}  {time.perf_counter() - begin:.1f} s")
