# fault: none
# family: regression
# split: held
import os

import torch
import torch.nn as nn
from torch.distributions import Categorical, MixtureSameFamily, Normal


class MDN(nn.Module):
    def __init__(self, k=4, h=48):
        super().__init__()
        self.h = nn.Sequential(nn.Linear(1, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh())
        self.pi, self.mu, self.ls = nn.Linear(h, k), nn.Linear(h, k), nn.Linear(h, k)
        with torch.no_grad():
            self.mu.bias.copy_(torch.linspace(-1.5, 1.5, k))

    def forward(self, x):
        h = self.h(x)
        return MixtureSameFamily(Categorical(logits=self.pi(h)), Normal(self.mu(h), self.ls(h).clamp(-5, 3).exp()))


def inverse_sine(n):
    y = torch.rand(n) * 2 - 1
    x = y + 0.35 * torch.sin(2 * torch.pi * y) + 0.02 * torch.randn(n)
    return (x / x.std()).unsqueeze(1), y * 1.7


def main():
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    x, y = inverse_sine(2500)
    model = MDN()
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(1, 801):
        b = torch.randint(0, 2000, (64,))
        nll = -model(x[b]).log_prob(y[b]).mean()
        opt.zero_grad()
        nll.backward()
        opt.step()
        if step % 100 == 0 or step == 1:
            with torch.no_grad():
                print(f"{step:4d} nll {nll.item():.4f} test {-model(x[2000:]).log_prob(y[2000:]).mean().item():.4f}")


main()
