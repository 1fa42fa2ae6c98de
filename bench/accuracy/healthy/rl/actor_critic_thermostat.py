# fault: none
# family: rl
# split: held
"""Advantage actor-critic, vectorised thermostat: keep the room at the set point."""
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Rooms:
    """n rooms; action: cool, off, heat; reward: minus squared distance to the set point"""

    def __init__(self, n):
        self.n = n
        self.reset()

    def reset(self):
        self.temp = 2 * torch.randn(self.n)
        return self.obs()

    def obs(self):
        return torch.stack([self.temp, self.temp.sign()], 1)

    def step(self, action):
        self.temp = 0.95 * self.temp + 0.5 * (action.float() - 1) + 0.1 * torch.randn(self.n)
        return self.obs(), -self.temp.pow(2).clamp(max=9) / 4


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh())
        self.pi, self.v = nn.Linear(32, 3), nn.Linear(32, 1)

    def forward(self, s):
        h = self.body(s)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


env, net = Rooms(48), ActorCritic()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
gamma, rollout = 0.9, 8
for update in range(301):
    s = env.reset() if update % 4 == 0 else env.obs()
    logps, values, rewards, entropies = [], [], [], []
    for _ in range(rollout):
        dist, v = net(s)
        a = dist.sample()
        s, r = env.step(a)
        logps.append(dist.log_prob(a))
        entropies.append(dist.entropy())
        values.append(v)
        rewards.append(r)
    with torch.no_grad():
        ret = net(s)[1]
    returns = []
    for r in reversed(rewards):
        ret = r + gamma * ret
        returns.insert(0, ret)
    returns, values, logps = torch.stack(returns), torch.stack(values), torch.stack(logps)
    advantage = (returns - values).detach()
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
    policy_loss = -(logps * advantage).mean()
    value_loss = (returns - values).pow(2).mean()
    entropy = torch.stack(entropies).mean()
    loss = policy_loss + 0.5 * value_loss - 0.01 * entropy
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    optimizer.step()
    if update % 50 == 0:
        print(f"update {update} reward {torch.stack(rewards).mean():.4f} policy {policy_loss:.4f} value {value_loss:.4f} entropy {entropy:.3f}")
