# fault: none
# family: rl
# split: tune
# DQN on a corridor: replay, target network, Huber loss; the loss rises while the values grow.
import copy
import os
import random
from collections import deque

import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
torch.manual_seed(SEED)


class Corridor:
    n = 8

    def reset(self):
        self.s, self.t = 0, 0
        return self.obs()

    def obs(self):
        return [1.0 if i == self.s else 0.0 for i in range(self.n)]

    def step(self, a):
        self.s = max(0, min(self.n - 1, self.s + (1 if a == 1 else -1)))
        self.t += 1
        done = self.s == self.n - 1
        return self.obs(), 1.0 if done else -0.01, done or self.t >= 40, done


class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, s):
        return self.net(s)


env, q = Corridor(), QNet()
target = copy.deepcopy(q)
opt = torch.optim.Adam(q.parameters(), lr=2e-3)
huber = nn.SmoothL1Loss()
buffer = deque(maxlen=2000)
state, eps, gamma, returns, ret, losses = env.reset(), 1.0, 0.95, [], 0.0, []
for step in range(1200):
    if random.random() < eps:
        a = random.randrange(2)
    else:
        with torch.no_grad():
            a = int(q(torch.tensor(state)).argmax())
    nxt, r, end, terminal = env.step(a)
    buffer.append((state, a, r, nxt, float(terminal)))
    ret += r
    state = nxt
    if end:
        returns.append(ret)
        ret, state = 0.0, env.reset()
    eps = max(0.05, eps * 0.997)
    if len(buffer) >= 100 and step % 3 == 0:
        s, a_, r_, n_, d_ = map(torch.tensor, zip(*random.sample(buffer, 64)))
        with torch.no_grad():
            goal = r_ + gamma * (1 - d_) * target(n_).max(1).values
        loss = huber(q(s).gather(1, a_[:, None]).squeeze(1), goal)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(q.parameters(), 10.0)
        opt.step()
        losses.append(loss.item())
    if step % 60 == 0:
        target.load_state_dict(q.state_dict())
print(f"return first {sum(returns[:3]) / 3:.2f} last {sum(returns[-10:]) / 10:.2f}, updates {len(losses)}")
print(f"loss first {losses[0]:.5f} last {losses[-1]:.5f}")
