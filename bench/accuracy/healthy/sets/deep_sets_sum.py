# fault: none
# family: sets
# split: tune
# Deep Sets: predicts the spread and the maximum of sets of different size.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class DeepSets(nn.Module):
    def __init__(self):
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(1, 32), nn.ELU(), nn.Linear(32, 32), nn.ELU())
        self.rho = nn.Sequential(nn.Linear(64, 32), nn.ELU(), nn.Linear(32, 2))

    def forward(self, x, mask):
        h = self.phi(x.unsqueeze(-1)) * mask.unsqueeze(-1)
        top = h.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(1)
        mean = h.sum(1) / mask.sum(1, keepdim=True)
        return self.rho(torch.cat([mean, top], 1))


def sets(n, size=15):
    count = torch.randint(3, size + 1, (n,))
    mask = torch.arange(size)[None] < count[:, None]
    x = (torch.randn(n, 1) + torch.rand(n, 1) * torch.randn(n, size)) * mask
    m = x.sum(1, keepdim=True) / count[:, None]
    std = (((x - m) ** 2 * mask).sum(1) / count).sqrt()
    mx = x.masked_fill(~mask, float("-inf")).amax(1)
    return x, mask, torch.stack([std, mx], 1)


model = DeepSets()
optimizer = torch.optim.NAdam(model.parameters(), lr=5e-3)
loss_fn = nn.SmoothL1Loss(beta=0.1)
trace = []
for step in range(250):
    x, mask, y = sets(64)
    loss = loss_fn(model(x, mask), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    trace.append(loss.item())
print(f"loss first {trace[0]:.4f} last {trace[-1]:.4f}")
