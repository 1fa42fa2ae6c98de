# fault: none
# family: rl
# split: held
"""Advantage actor-critic in a corridor with a key: 16 corridors at once, entropy bonus that is lowered."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
N, LENGTH, HORIZON = 16, 7, 20


class Corridors:
    """Walk left to fetch the key, then right to the door. A step costs 0.02."""

    def reset(self):
        self.pos, self.key, self.t = torch.full((N,), LENGTH // 2), torch.zeros(N, dtype=torch.bool), 0
        self.done = torch.zeros(N, dtype=torch.bool)
        return self.observe()

    def observe(self):
        return torch.cat([F.one_hot(self.pos, LENGTH).float(), self.key.float().unsqueeze(1)], 1)

    def step(self, action):
        self.pos = torch.where(self.done, self.pos, (self.pos + 2 * action - 1).clamp(0, LENGTH - 1))
        got = (self.pos == 0) & ~self.key & ~self.done
        self.key |= got
        opened = (self.pos == LENGTH - 1) & self.key & ~self.done
        reward = torch.where(self.done, 0.0, -0.02) + 0.3 * got + 1.0 * opened
        self.done |= opened
        self.t += 1
        return self.observe(), reward, self.t >= HORIZON


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(LENGTH + 1, 48), nn.Tanh())
        self.policy, self.value = nn.Linear(48, 2), nn.Linear(48, 1)

    def forward(self, o):
        h = self.body(o)
        return torch.distributions.Categorical(logits=self.policy(h)), self.value(h).squeeze(1)


env, agent = Corridors(), Agent()
opt = torch.optim.Adam(agent.parameters(), lr=7e-3)
returns = []
for update in range(100):
    obs, over = env.reset(), False
    log_p, values, rewards, alive, entropy = [], [], [], [], []
    while not over:
        alive.append((~env.done).float())
        dist, v = agent(obs)
        a = dist.sample()
        log_p.append(dist.log_prob(a))
        entropy.append(dist.entropy())
        values.append(v)
        obs, r, over = env.step(a)
        rewards.append(r)
    g, targets = torch.zeros(N), []
    for r in reversed(rewards):
        g = r + 0.97 * g
        targets.insert(0, g)
    targets, values, alive = torch.stack(targets), torch.stack(values), torch.stack(alive)
    advantage = (targets - values).detach()
    n = alive.sum()
    actor = -(torch.stack(log_p) * advantage * alive).sum() / n
    critic = ((values - targets) ** 2 * alive).sum() / n
    bonus = 0.02 * max(0.1, 1 - update / 70)
    loss = actor + 0.5 * critic - bonus * (torch.stack(entropy) * alive).sum() / n
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
    opt.step()
    returns.append(torch.stack(rewards).sum(0).mean().item())
    if update % 20 == 19:
        print(f"update {update + 1} return {sum(returns[-20:]) / 20:.3f} loss {loss.item():.3f}")
