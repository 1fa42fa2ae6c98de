# fault: none
# family: generative
# split: tune
# An energy whose gradient is the score: double backward at every step, full noise in the loss.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))

    def score(self, x):
        x = x.requires_grad_(True)
        return -torch.autograd.grad(self.net(x).sum(), x, create_graph=True)[0]


model = Energy()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
sigma = 0.3
corners = torch.tensor([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
log = []
for step in range(300):
    x = corners[torch.randint(0, 4, (128,))] + 0.1 * torch.randn(128, 2)
    noise = torch.randn_like(x)
    s = model.score(x + sigma * noise)
    loss = 0.5 * ((sigma * s + noise) ** 2).sum(1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    log.append(loss.item())
print(f"loss first {log[0]:.4f} last {sum(log[-20:]) / 20:.4f}")
