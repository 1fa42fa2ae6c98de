# fault: softmax-twice
# cause_class: output-activation, loss, activation
# family: rl
# split: held
"""REINFORCE with a learned baseline on a batch of contextual choices with 12 actions."""
import os

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(int(os.environ.get("SEED", 0)))
STATES, ACTIONS = 6, 12


class Corridor:
    """Vectorised environment: each door opens for one of twelve keys that depends on the state."""

    def __init__(self, n):
        self.n = n
        self.key = torch.randint(0, ACTIONS, (3,))
        self.proj = torch.randn(STATES, 3)

    def reset(self):
        self.obs = torch.randn(self.n, STATES)
        return self.obs

    def step(self, a):
        room = (self.obs @ self.proj).argmax(1)
        r = (a == self.key[room]).float()
        self.obs = torch.randn(self.n, STATES)
        return self.obs, r


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(STATES, 64), nn.Tanh())
        self.actor = nn.Sequential(nn.Linear(64, ACTIONS), nn.Softmax(dim=-1))
        self.critic = nn.Linear(64, 1)

    def forward(self, obs):
        h = self.trunk(obs)
        return Categorical(logits=self.actor(h)), self.critic(h).squeeze(-1)


env = Corridor(64)
policy = Policy()
opt = torch.optim.Adam(policy.parameters(), lr=3e-3)
obs = env.reset()
recent = []
for update in range(800):
    dist, value = policy(obs)
    action = dist.sample()
    obs, reward = env.step(action)
    adv = reward - value.detach()
    pg = -(dist.log_prob(action) * adv).mean()
    vf = (reward - value).pow(2).mean()
    loss = pg + 0.5 * vf - 0.001 * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
    opt.step()
    recent.append(reward.mean().item())
    if (update + 1) % 100 == 0:
        print(f"{update + 1:4d} loss {loss.item():+.4f} reward {sum(recent[-100:]) / 100:.3f} entropy {dist.entropy().mean().item():.3f}")
