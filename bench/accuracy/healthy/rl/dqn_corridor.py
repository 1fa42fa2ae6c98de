# fault: none
# family: rl
# split: held
"""DQN with replay and a target network on a corridor: walk to the end, the goal pays 1."""
import os
import random
from collections import deque

import torch
from torch import nn

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
torch.manual_seed(SEED)


class Corridor:
    def __init__(self, n=10, limit=40):
        self.n, self.limit = n, limit

    def reset(self):
        self.pos, self.t = random.randrange(self.n - 1), 0
        return self.obs()

    def obs(self):
        v = torch.zeros(self.n)
        v[self.pos] = 1
        return v

    def step(self, a):
        if random.random() < 0.1:
            a = 1 - a
        self.pos = min(self.n - 1, max(0, self.pos + (1 if a else -1)))
        self.t += 1
        goal = self.pos == self.n - 1
        return self.obs(), float(goal), goal, goal or self.t >= self.limit


class Agent:
    def __init__(self, n, gamma=0.95, lr=2e-3):
        make = lambda: nn.Sequential(nn.Linear(n, 32), nn.ReLU(), nn.Linear(32, 2))
        self.q, self.target = make(), make()
        self.target.load_state_dict(self.q.state_dict())
        self.target.requires_grad_(False)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.memory, self.gamma = deque(maxlen=4000), gamma

    def act(self, s, eps):
        if random.random() < eps:
            return random.randrange(2)
        with torch.no_grad():
            return int(self.q(s).argmax())

    def learn(self, n=64):
        s, a, r, s2, end = zip(*random.sample(self.memory, n))
        s, s2 = torch.stack(s), torch.stack(s2)
        a, r, end = torch.tensor(a), torch.tensor(r), torch.tensor(end, dtype=torch.float32)
        q = self.q(s).gather(1, a[:, None]).squeeze(1)
        with torch.no_grad():
            best = self.q(s2).argmax(1, keepdim=True)
            y = r + self.gamma * (1 - end) * self.target(s2).gather(1, best).squeeze(1)
        loss = nn.functional.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def sync(self):
        self.target.load_state_dict(self.q.state_dict())


env, agent = Corridor(), Agent(10)
updates, returns, losses = 0, deque(maxlen=40), deque(maxlen=100)
s, ret = env.reset(), 0.0
for t in range(1, 2601):
    a = agent.act(s, max(0.05, 1 - t / 1200))
    s2, r, terminal, done = env.step(a)
    agent.memory.append((s, a, r, s2, terminal))
    s, ret = s2, ret + r * 0.95 ** env.t
    if done:
        returns.append(ret)
        s, ret = env.reset(), 0.0
    if t > 200 and t % 2 == 0:
        losses.append(agent.learn())
        updates += 1
        if updates % 50 == 0:
            agent.sync()
    if t % 400 == 0:
        print(f"t {t} loss {sum(losses) / max(1, len(losses)):.5f} return {sum(returns) / max(1, len(returns)):.3f}")
with torch.no_grad():
    print("greedy actions", agent.q(torch.eye(10)).argmax(1).tolist())
