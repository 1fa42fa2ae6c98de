# fault: none
# family: rl
# split: tune
import copy
import os
import random
from collections import deque

import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)


class Corridor:
    """Ten cells; reward 1 at the right end, -0.02 a step."""
    size = 10

    def reset(self):
        self.pos, self.t = random.randint(0, 4), 0
        return self.obs()

    def obs(self):
        v = torch.zeros(self.size)
        v[self.pos] = 1
        return v

    def step(self, a):
        self.pos = max(0, self.pos + (1 if a else -1))
        self.t += 1
        done = self.pos == self.size - 1
        return self.obs(), 1.0 if done else -0.02, done, self.t >= 40


class Agent:
    def __init__(self):
        self.q = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=2e-3)
        self.memory = deque(maxlen=3000)

    def act(self, s, eps):
        if random.random() < eps:
            return random.randint(0, 1)
        with torch.no_grad():
            return int(self.q(s).argmax())

    def learn(self, n=32, gamma=0.95):
        s, a, r, s2, d = zip(*random.sample(self.memory, n))
        s, s2 = torch.stack(s), torch.stack(s2)
        a, r, d = torch.tensor(a), torch.tensor(r), torch.tensor(d, dtype=torch.float32)
        with torch.no_grad():
            best = self.q(s2).argmax(1, keepdim=True)
            y = r + gamma * (1 - d) * self.target(s2).gather(1, best).squeeze(1)
        pred = self.q(s).gather(1, a[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(pred, y)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q.parameters(), 1.0)
        self.opt.step()
        return loss.item()


env, agent = Corridor(), Agent()
updates, losses, returns = 0, [], []
while updates < 1200:
    s, total = env.reset(), 0.0
    while True:
        a = agent.act(s, max(0.05, 1 - updates / 600))
        s2, r, done, cut = env.step(a)
        agent.memory.append((s, a, r, s2, done))
        s, total = s2, total + r
        if len(agent.memory) > 200:
            losses.append(agent.learn())
            updates += 1
            if updates % 100 == 0:
                agent.target.load_state_dict(agent.q.state_dict())
            if updates % 200 == 0:
                print(f"update {updates} td loss {sum(losses[-200:]) / 200:.5f} return {sum(returns[-10:]) / max(1, len(returns[-10:])):.2f}")
        if done or cut:
            break
    returns.append(total)
