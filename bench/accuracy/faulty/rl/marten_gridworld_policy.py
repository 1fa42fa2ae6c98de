# fault: no-gradient
# cause_class: not-updated, structure, loss
# family: rl
# split: held
import os
import random

import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)
SIZE, LIMIT = 5, 20
MOVES = [(0, 1), (0, -1), (1, 0), (-1, 0)]


class Grid:
    """Reach the far corner; every step costs."""

    def reset(self):
        self.pos, self.t = [random.randrange(SIZE - 1), random.randrange(SIZE - 1)], 0
        return self.obs()

    def obs(self):
        v = torch.zeros(2 * SIZE)
        v[self.pos[0]] = v[SIZE + self.pos[1]] = 1
        return v

    def step(self, a):
        for i in (0, 1):
            self.pos[i] = min(SIZE - 1, max(0, self.pos[i] + MOVES[a][i]))
        self.t += 1
        done = self.pos == [SIZE - 1, SIZE - 1]
        return self.obs(), (1.0 if done else -0.05), done or self.t >= LIMIT


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(2 * SIZE, 32), nn.Tanh(), nn.Linear(32, 4))
        self.critic = nn.Sequential(nn.Linear(2 * SIZE, 32), nn.Tanh(), nn.Linear(32, 1))

    def act(self, obs):
        dist = torch.distributions.Categorical(logits=self.actor(obs))
        a = dist.sample()
        return a.item(), dist.log_prob(a)


class RolloutBuffer:
    def __init__(self):
        self.obs, self.logp, self.rew, self.lengths = [], [], [], []

    def collect(self, env, agent, episodes):
        for _ in range(episodes):
            obs, done, n = env.reset(), False, 0
            while not done:
                with torch.no_grad():
                    a, lp = agent.act(obs)
                nxt, r, done = env.step(a)
                self.obs.append(obs), self.logp.append(lp), self.rew.append(r)
                obs, n = nxt, n + 1
            self.lengths.append(n)

    def returns(self, gamma=0.97):
        out, i = [], 0
        for n in self.lengths:
            g, part = 0.0, []
            for r in reversed(self.rew[i:i + n]):
                g = r + gamma * g
                part.append(g)
            out += part[::-1]
            i += n
        return torch.tensor(out)


env, agent = Grid(), Agent()
opt = torch.optim.Adam(agent.parameters(), lr=5e-3)
for it in range(120):
    buf = RolloutBuffer()
    buf.collect(env, agent, 6)
    obs, logp, ret = torch.stack(buf.obs), torch.stack(buf.logp), buf.returns()
    value = agent.critic(obs).squeeze(-1)
    adv = ret - value.detach()
    policy_loss = -(logp * adv).mean()
    value_loss = (ret - value).pow(2).mean()
    loss = policy_loss + 0.5 * value_loss
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 20 == 0 or it == 119:
        print(f"{it:3d} policy {policy_loss.item():+.4f} value {value_loss.item():.4f} episode length {sum(buf.lengths) / 6:.1f}")
