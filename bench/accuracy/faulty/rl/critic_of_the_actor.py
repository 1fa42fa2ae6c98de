# fault: not-in-optimiser
# cause_class: not-updated, optimizer
# family: rl
# split: tune
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

actor = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
critic = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 1))
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)

for it in range(300):
    state = torch.randn(128, 4)
    policy = torch.distributions.Categorical(logits=actor(state))
    action = policy.sample()
    reward = ((state[:, 0] > 0).long() == action).float() + state[:, 1]
    value = critic(state).squeeze(1)
    advantage = (reward - value).detach()

    actor_loss = -(policy.log_prob(action) * advantage).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()

    critic_loss = (value - reward).pow(2).mean()
    critic_opt.zero_grad()
    critic_loss.backward()
    critic_opt.step()
    if it % 50 == 0:
        print(f"{it:3d} reward {reward.mean().item():.3f} critic {critic_loss.item():.4f}")
