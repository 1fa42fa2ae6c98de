# fault: constant-output
# cause_class: structure
# family: sets
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
n, members = 2000, 10
sets = torch.randn(n, members, 4)
target = sets[..., 0].amax(1) + sets[..., 1].mean(1) * 2


class DeepSet(nn.Module):
    def __init__(self):
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 48))
        self.rho = nn.Sequential(nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, s):
        h = self.phi(s)
        pooled = h.mean(dim=(0, 1))
        return self.rho(pooled.expand(s.size(0), -1)).squeeze(-1)


m = DeepSet()
opt = torch.optim.Adam(m.parameters(), lr=2e-3)
for step in range(500):
    i = torch.randint(0, n, (64,))
    loss = nn.functional.mse_loss(m(sets[i]), target[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print(step, loss.item())
