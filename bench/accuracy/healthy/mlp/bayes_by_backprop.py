# fault: none
# family: mlp
# split: tune
# Variational weights: a loss in the thousands (KL of all weights plus the likelihood of all data), sampled anew each step.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


class BayesLinear(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(o, i) / i**0.5)
        self.rho = nn.Parameter(torch.full((o, i), -4.0))
        self.bias = nn.Parameter(torch.zeros(o))

    def forward(self, x):
        sigma = F.softplus(self.rho)
        w = self.mu + sigma * torch.randn_like(sigma)
        self.kl = (-sigma.log() + 0.5 * (sigma**2 + self.mu**2) - 0.5).sum()
        return F.linear(x, w, self.bias)


N = 2000
x = torch.randn(N, 5)
y = torch.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * torch.randn(N)
net = nn.Sequential(BayesLinear(5, 40), nn.Tanh(), BayesLinear(40, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
elbo = []
for step in range(350):
    i = torch.randint(0, N, (100,))
    out = net(x[i]).squeeze(1)
    nll = 0.5 * ((out - y[i]) ** 2 / 0.2**2).sum() * (N / 100)
    kl = sum(m.kl for m in net if isinstance(m, BayesLinear))
    loss = nll + kl
    opt.zero_grad()
    loss.backward()
    opt.step()
    elbo.append(loss.item())
print(f"loss first {elbo[0]:.1f} last {sum(elbo[-20:]) / 20:.1f}")
