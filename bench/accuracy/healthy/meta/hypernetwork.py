# fault: none
# family: meta
# split: tune
# A hypernetwork writes the weights of the net that is used; the used weights are no parameters.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

SHAPES = [(12, 2), (12,), (1, 12), (1,)]
SIZE = sum(torch.Size(s).numel() for s in SHAPES)


class Hyper(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 48), nn.ReLU(), nn.Linear(48, SIZE))
        with torch.no_grad():
            self.net[-1].weight.mul_(0.3)

    def forward(self, task, x):
        flat = self.net(task)
        w1, b1, w2, b2 = (
            p.view(len(task), *s) for p, s in zip(flat.split([torch.Size(s).numel() for s in SHAPES], 1), SHAPES)
        )
        h = torch.tanh(torch.einsum("bnd,bhd->bnh", x, w1) + b1[:, None])
        return torch.einsum("bnh,boh->bno", h, w2) + b2[:, None]


model = Hyper()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
losses = []
for step in range(250):
    task = torch.randn(16, 3)
    x = torch.randn(16, 20, 2)
    y = torch.tanh(x @ task[:, :2, None]) + task[:, 2][:, None, None]
    loss = F.mse_loss(model(task, x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
print(f"loss first {losses[0]:.4f} last {losses[-1]:.4f}")
