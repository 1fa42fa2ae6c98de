# fault: detached-mid-network
# cause_class: structure, not-updated
# family: generative
# split: tune
import os
import torch
from torch import nn
from torch.distributions import Normal, kl_divergence

torch.manual_seed(int(os.environ.get("SEED", 0)))
z_true = torch.randn(3000, 3)
x = torch.tanh(z_true @ torch.randn(3, 20)) + 0.05 * torch.randn(3000, 20)


class Enc(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = nn.Linear(20, 64)
        self.mu, self.ls = nn.Linear(64, 3), nn.Linear(64, 3)

    def forward(self, x):
        h = torch.relu(self.h(x))
        return Normal(self.mu(h), self.ls(h).clamp(-5, 2).exp())


enc, dec = Enc(), nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 20))
opt = torch.optim.Adam([{"params": enc.parameters()}, {"params": dec.parameters()}], lr=2e-3)
prior = Normal(torch.zeros(3), torch.ones(3))
for it in range(600):
    b = x[torch.randint(0, 3000, (100,))]
    q = enc(b)
    z = q.sample()
    rec = ((dec(z) - b) ** 2).sum(1).mean()
    kl = kl_divergence(q, prior).sum(1).mean()
    loss = rec + 0.1 * kl
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 60 == 0:
        print(it, rec.item(), kl.item())
