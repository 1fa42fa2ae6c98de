# fault: none
# family: rl
# split: tune
import os
import random

import torch
import torch.nn as nn
from torch.distributions import Categorical

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)
SIZE, N, HORIZON, GAMMA, LAM = 5, 16, 16, 0.95, 0.9
MOVES = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])


class Grid:
    """Many small grids side by side; the goal lies elsewhere in every episode."""

    def __init__(self, n):
        self.n = n
        self.pos, self.goal, self.t = (torch.zeros(n, 2, dtype=torch.long) for _ in range(3))
        self.t = torch.zeros(n, dtype=torch.long)
        self.reset(torch.ones(n, dtype=torch.bool))

    def reset(self, m):
        k = int(m.sum())
        self.pos[m] = torch.randint(0, SIZE, (k, 2))
        self.goal[m] = (self.pos[m] + torch.randint(1, SIZE, (k, 2))) % SIZE
        self.t[m] = 0

    def obs(self):
        return torch.cat([self.pos, self.goal, self.goal - self.pos], 1).float() / (SIZE - 1)

    def step(self, a):
        self.pos = (self.pos + MOVES[a]).clamp(0, SIZE - 1)
        self.t += 1
        hit = (self.pos == self.goal).all(1)
        done = hit | (self.t >= 30)
        r = hit.float() - 0.02
        self.reset(done)
        return r, done.float()


actor = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 4))
critic = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
opt = torch.optim.Adam([{"params": actor.parameters(), "lr": 2e-3}, {"params": critic.parameters(), "lr": 4e-3}])
env, x, recent = Grid(N), None, []
x = env.obs()
for it in range(1, 151):
    logps, ents, values, rewards, dones = [], [], [], [], []
    for _ in range(HORIZON):
        dist = Categorical(logits=actor(x))
        a = dist.sample()
        logps.append(dist.log_prob(a))
        ents.append(dist.entropy())
        values.append(critic(x).squeeze(1))
        r, d = env.step(a)
        rewards.append(r)
        dones.append(d)
        x = env.obs()
    with torch.no_grad():
        nxt, adv, advs = critic(x).squeeze(1), torch.zeros(N), []
        for i in reversed(range(HORIZON)):
            delta = rewards[i] + GAMMA * (1 - dones[i]) * nxt - values[i]
            adv = delta + GAMMA * LAM * (1 - dones[i]) * adv
            advs.insert(0, adv)
            nxt = values[i]
        adv = torch.stack(advs)
        target = adv + torch.stack(values)
        adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    pg = -(torch.stack(logps) * adv).mean()
    vf = nn.functional.mse_loss(torch.stack(values), target)
    loss = pg + 0.5 * vf - 0.01 * torch.stack(ents).mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_([*actor.parameters(), *critic.parameters()], 0.5)
    opt.step()
    recent.append(torch.stack(rewards).mean().item())
    if it % 25 == 0:
        print(f"{it} loss {loss.item():+.4f} value {vf.item():.4f} reward per step {sum(recent[-25:]) / 25:.4f}")
