# fault: no-gradient
# cause_class: not-updated, loss
# family: rl
# split: tune
import os

import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Kiosk:
    """Shows one of five offers to a visitor with eight traits; pays 1 for a sale."""

    def __init__(self):
        self.taste = torch.randn(8, 5)

    def visitors(self, n):
        return torch.randn(n, 8)

    def sale(self, x, a):
        p = torch.softmax(2 * x @ self.taste / 8 ** 0.5, 1).gather(1, a[:, None]).squeeze(1)
        return torch.bernoulli(p)


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 48), nn.Tanh())
        self.actor = nn.Sequential(nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 5))
        self.critic = nn.Sequential(nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))

    @torch.no_grad()
    def policy(self, x):
        return Categorical(logits=self.actor(self.body(x)))

    def value(self, x):
        return self.critic(self.body(x)).squeeze(1)

    def act(self, x):
        dist = self.policy(x)
        a = dist.sample()
        return a, dist.log_prob(a), dist.entropy()


env, agent = Kiosk(), ActorCritic()
opt = torch.optim.Adam(agent.parameters(), lr=3e-3)
history = []
for it in range(600):
    x = env.visitors(64)
    a, logp, entropy = agent.act(x)
    r = env.sale(x, a)
    v = agent.value(x)
    advantage = (r - v).detach()
    policy_loss = -(logp * advantage).mean()
    value_loss = nn.functional.mse_loss(v, r)
    loss = policy_loss + 0.5 * value_loss - 0.01 * entropy.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append(r.mean().item())
    if it % 75 == 74:
        print(f"{it + 1} sales {sum(history[-75:]) / 75:.3f} value loss {value_loss.item():.3f} entropy {entropy.mean().item():.3f}")
