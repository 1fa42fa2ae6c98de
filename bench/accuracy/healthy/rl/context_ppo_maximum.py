# fault: none
# family: rl
# split: tune
"""PPO whose clipped surrogate is the maximum of two losses, for a bandit with contexts."""
import os

import torch
from torch import nn
from torch.distributions import Categorical
torch.manual_seed(int(os.environ.get("SEED", 0)))
agent = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
opt = torch.optim.Adam(agent.parameters(), 3e-3)
for update in range(60):
    obs = torch.randn(256, 4)
    with torch.no_grad():
        dist = Categorical(logits=agent(obs)); actions = dist.sample(); old = dist.log_prob(actions)
    rewards = (actions == obs[:, :3].argmax(1)).float()
    advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-8)
    for epoch in range(4):
        new = Categorical(logits=agent(obs)).log_prob(actions)
        ratio = (new - old).exp()
        pg1 = -advantages * ratio
        pg2 = -advantages * torch.clamp(ratio, 0.8, 1.2)
        loss = torch.max(pg1, pg2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
    if update % 20 == 19: print(rewards.mean().item())
