# fault: none
# family: regression
# split: tune
"""Mixture density network for an inverse problem with several answers."""
import math
import os
import torch
from torch import nn
from torch.distributions import Categorical, MixtureSameFamily, Normal

torch.manual_seed(int(os.environ.get("SEED", 0)))
t = torch.rand(1600)
x = (t + 0.3 * torch.sin(2 * math.pi * t) + 0.03 * torch.randn(1600))
x, t = ((x - 0.5) / 0.3)[:, None], t


class MDN(nn.Module):
    def __init__(self, k=4, h=40):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, h), nn.Tanh(), nn.Linear(h, 3 * k))
        self.net[2].bias.data[k:2 * k] = torch.linspace(0.1, 0.9, k)

    def forward(self, x):
        w, mu, s = self.net(x).chunk(3, dim=1)
        return MixtureSameFamily(Categorical(logits=w), Normal(mu, nn.functional.softplus(s) + 0.01))


mdn = MDN()
opt = torch.optim.AdamW(mdn.parameters(), lr=5e-3)
for step in range(1001):
    idx = torch.randint(0, 1300, (64,))
    loss = -mdn(x[idx]).log_prob(t[idx]).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 125 == 0:
        with torch.no_grad():
            print(step, f"nll {loss.item():+.3f} test {-mdn(x[1300:]).log_prob(t[1300:]).mean():+.3f}")
