# fault: loss-misused
# cause_class: loss, labels
# family: dqn
# split: tune
"""Deep Q-learning with replay and a target network on a 5x5 grid with a goal and a pit."""
import copy
import os
import random
from collections import deque

import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)
N, GOAL, PIT = 5, (4, 4), (2, 2)
MOVES = [(0, 1), (1, 0), (0, -1), (-1, 0)]


class Grid:
    def reset(self):
        self.p = (random.randrange(N), random.randrange(N))
        while self.p in (GOAL, PIT):
            self.p = (random.randrange(N), random.randrange(N))
        self.t = 0
        return self.obs()

    def obs(self):
        v = torch.zeros(N * N)
        v[self.p[0] * N + self.p[1]] = 1.0
        return v

    def step(self, a):
        dx, dy = MOVES[a]
        self.p = (min(max(self.p[0] + dx, 0), N - 1), min(max(self.p[1] + dy, 0), N - 1))
        self.t += 1
        if self.p == GOAL:
            return self.obs(), 1.0, True
        if self.p == PIT:
            return self.obs(), -1.0, True
        return self.obs(), -0.02, False


class Agent:
    def __init__(self, gamma=0.99, lr=1e-3):
        self.q = nn.Sequential(nn.Linear(N * N, 64), nn.ReLU(), nn.Linear(64, 4))
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.memory, self.gamma = deque(maxlen=2000), gamma

    @torch.no_grad()
    def act(self, s, eps):
        return random.randrange(4) if random.random() < eps else self.q(s).argmax().item()

    def learn(self, n=64):
        s, a, r, s2, done = map(list, zip(*random.sample(self.memory, n)))
        s, s2 = torch.stack(s), torch.stack(s2)
        a, r, done = torch.tensor(a), torch.tensor(r), torch.tensor(done)
        q = self.q(s).gather(1, a[:, None]).squeeze(1)
        nxt = self.target(s2).max(1).values
        y = r + self.gamma * torch.where(done, nxt, torch.zeros_like(nxt))
        loss = nn.functional.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


env, agent = Grid(), Agent()
s, ret, returns, losses = env.reset(), 0.0, [], []
for step in range(1, 2601):
    eps = max(0.1, 1 - step / 1500)
    a = agent.act(s, eps)
    s2, r, done = env.step(a)
    agent.memory.append((s, a, r, s2, done))
    s, ret = s2, ret + r
    if done or env.t >= 40:
        returns.append(ret)
        s, ret = env.reset(), 0.0
    if step > 800:
        losses.append(agent.learn())
    if step % 40 == 0:
        agent.target.load_state_dict(agent.q.state_dict())
    if step % 300 == 0:
        m = sum(losses[-300:]) / max(1, len(losses[-300:]))
        print(f"{step} loss {m:.4f} return {sum(returns[-15:]) / max(1, len(returns[-15:])):.3f}")
