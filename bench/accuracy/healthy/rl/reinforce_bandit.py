# fault: none
# family: rl
# split: tune
# REINFORCE on a bandit with context: the surrogate loss is noise around zero, the reward rises.
import os

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(int(os.environ.get("SEED", "0")))

pay = torch.randn(4, 5)
policy = nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 5))
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
baseline, rewards, losses = 0.0, [], []
for step in range(300):
    ctx = torch.randn(64, 4)
    dist = Categorical(logits=policy(ctx))
    a = dist.sample()
    r = (ctx @ pay)[torch.arange(64), a] + 0.2 * torch.randn(64)
    loss = -(dist.log_prob(a) * (r - baseline)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    baseline = 0.9 * baseline + 0.1 * r.mean().item()
    rewards.append(r.mean().item())
    losses.append(loss.item())
print(f"reward first {sum(rewards[:10]) / 10:.3f} last {sum(rewards[-20:]) / 20:.3f}")
print(f"loss first {losses[0]:.4f} last {losses[-1]:.4f}")
