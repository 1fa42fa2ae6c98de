# fault: none
# family: gan
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


def real(n):
    a = 6.28 * torch.rand(n)
    return torch.stack([a.cos() * a, a.sin() * a], 1) / 4


class Gen(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 2))

    def forward(self, z):
        return self.net(z)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 40), nn.LeakyReLU(0.2), nn.Linear(40, 1))

    def forward(self, x):
        return self.net(x)


gen, critic = Gen(), Critic()
og = torch.optim.RMSprop(gen.parameters(), lr=5e-4)
oc = torch.optim.RMSprop(critic.parameters(), lr=5e-4)
for it in range(300):
    for _ in range(2):
        oc.zero_grad()
        with torch.no_grad():
            fake = gen(torch.randn(64, 6))
        (F.softplus(-critic(real(64))).mean() + F.softplus(critic(fake)).mean()).backward()
        oc.step()
    og.zero_grad()
    fake = gen(torch.randn(64, 6))
    F.softplus(-critic(fake)).mean().backward()
    og.step()
