# fault: none
# family: rl
# split: held
import os

import torch
import torch.nn as nn
from torch.distributions import Normal

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Drones:
    """Many drones at once; each shall hover at zero."""

    def __init__(self, n=32):
        self.n = n

    def reset(self):
        self.h, self.v = torch.randn(self.n), torch.zeros(self.n)
        return torch.stack([self.h, self.v], 1)

    def step(self, a):
        a = a.clamp(-2, 2)
        self.v = 0.9 * self.v + 0.3 * a
        self.h = self.h + 0.3 * self.v
        return torch.stack([self.h, self.v], 1), -(self.h ** 2 + 0.05 * a ** 2)


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))
        self.v = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))
        self.log_std = nn.Parameter(torch.tensor(-0.3))

    def dist(self, s):
        return Normal(self.pi(s).squeeze(-1), self.log_std.exp())


env, net = Drones(), ActorCritic()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for it in range(200):
    s = env.reset()
    states, acts, rews = [], [], []
    for _ in range(16):
        with torch.no_grad():
            a = net.dist(s).sample()
        s2, r = env.step(a)
        states.append(s), acts.append(a), rews.append(r)
        s = s2
    S, A, R = torch.stack(states), torch.stack(acts), torch.stack(rews)
    G = torch.zeros_like(R)
    run = torch.zeros(env.n)
    for t in reversed(range(16)):
        run = R[t] + 0.9 * run
        G[t] = run
    G = G / 5
    value = net.v(S).squeeze(-1)
    adv = (G - value).detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    dist = net.dist(S)
    actor = -(dist.log_prob(A) * adv).mean()
    critic = (G - value).pow(2).mean()
    loss = actor + 0.5 * critic - 0.003 * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
    if it % 25 == 0 or it == 199:
        print(f"{it:3d} return {R.sum(0).mean():.2f} actor {actor.item():+.3f} critic {critic.item():.3f} std {net.log_std.exp().item():.2f}")
