# fault: loss-misused
# cause_class: loss, labels
# family: rl
# split: tune
import os

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(int(os.environ.get("SEED", 0)))


class ContextualBandit:
    """Six contexts' features, five arms; the pay of an arm depends on the context."""

    def __init__(self):
        self.w = torch.randn(6, 5)

    def contexts(self, n):
        return torch.randn(n, 6)

    def pull(self, c, arm):
        mean = torch.sigmoid(2 * (c @ self.w))
        return mean.gather(1, arm[:, None]).squeeze(1) + 0.1 * torch.randn(len(arm))


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 5))

    def forward(self, c):
        return Categorical(logits=self.f(c))


def surrogate(dist, arm, advantage, entropy_coef=0.001):
    return (dist.log_prob(arm) * advantage).mean() - entropy_coef * dist.entropy().mean()


env, policy = ContextualBandit(), Policy()
opt = torch.optim.Adam(policy.parameters(), lr=3e-3)
baseline = 0.5
for it in range(1, 601):
    c = env.contexts(64)
    dist = policy(c)
    arm = dist.sample()
    r = env.pull(c, arm)
    loss = surrogate(dist, arm, r - baseline)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
    opt.step()
    baseline = 0.95 * baseline + 0.05 * r.mean().item()
    if it % 100 == 0 or it == 1:
        print(f"{it:4d} reward {r.mean().item():.3f} baseline {baseline:.3f} loss {loss.item():.4f} entropy {dist.entropy().mean().item():.3f}")
