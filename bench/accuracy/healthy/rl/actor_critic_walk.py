# fault: none
# family: rl
# split: tune
"""Advantage actor-critic on a corridor; separate heads, critic's advantage is detached for the actor."""
import os
import torch
from torch import nn
from torch.distributions import Categorical
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
N, ENVS, HORIZON, GAMMA = 8, 16, 12, 0.95


class Corridor:
    """Start in the middle, +1 at the right end, -1 at the left one."""
    def __init__(self, n):
        self.pos = torch.full((n,), N // 2)

    def obs(self):
        return F.one_hot(self.pos, N + 1).float()

    def step(self, action):
        slip = torch.rand(len(action)) < 0.1
        move = torch.where(slip, 1 - action, action) * 2 - 1
        self.pos = self.pos + move
        reward = (self.pos == N).float() - (self.pos == 0).float() - 0.01
        done = (self.pos == N) | (self.pos == 0)
        self.pos = torch.where(done, torch.full_like(self.pos, N // 2), self.pos)
        return reward, done


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(N + 1, 32), nn.Tanh())
        self.pi, self.v = nn.Linear(32, 2), nn.Linear(32, 1)

    def forward(self, o):
        h = self.body(o)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


net, env = ActorCritic(), Corridor(ENVS)
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for it in range(150):
    logps, values, rewards, dones, ents = [], [], [], [], []
    for _ in range(HORIZON):
        dist, v = net(env.obs())
        a = dist.sample()
        r, d = env.step(a)
        logps.append(dist.log_prob(a)); values.append(v); rewards.append(r); dones.append(d.float()); ents.append(dist.entropy())
    with torch.no_grad():
        ret = net(env.obs())[1]
    returns = []
    for r, d in zip(reversed(rewards), reversed(dones)):
        ret = r + GAMMA * (1 - d) * ret
        returns.insert(0, ret)
    returns, values, logps = torch.stack(returns), torch.stack(values), torch.stack(logps)
    adv = returns - values
    loss = -(logps * adv.detach()).mean() + 0.5 * adv.pow(2).mean() - 0.01 * torch.stack(ents).mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
    if it % 25 == 24:
        print(f"{it + 1} loss {loss.item():+.3f} mean reward {torch.stack(rewards).mean():+.4f}")
