# fault: broadcast-targets
# cause_class: loss, labels, structure, activation
# family: rl
# split: held
import collections
import os
import random

import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)


class Corridor:
    """Walk to the right end of a corridor of ten cells; +1 there, a small cost for every step."""
    N = 10

    def reset(self):
        self.pos, self.t = random.randrange(self.N - 1), 0
        return self.obs()

    def obs(self):
        o = [0.0] * self.N
        o[self.pos] = 1.0
        return o

    def step(self, a):
        self.pos = max(0, self.pos - 1) if a == 0 else self.pos + 1
        self.t += 1
        win = self.pos == self.N - 1
        return self.obs(), (1.0 if win else -0.05), win, self.t >= 30


class Replay:
    def __init__(self, cap=3000):
        self.buf = collections.deque(maxlen=cap)

    def push(self, *tr):
        self.buf.append(tr)

    def sample(self, n):
        s, a, r, s2, d = zip(*random.sample(self.buf, n))
        return (torch.tensor(s), torch.tensor(a).unsqueeze(1), torch.tensor(r), torch.tensor(s2),
                torch.tensor(d, dtype=torch.float32))


def qnet():
    return nn.Sequential(nn.Linear(Corridor.N, 32), nn.ReLU(), nn.Linear(32, 2))


q, target = qnet(), qnet()
target.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), lr=2e-3)
env, mem = Corridor(), Replay()
s, updates, ret, returns = env.reset(), 0, 0.0, []
for step in range(1700):
    eps = max(0.05, 1 - step / 800)
    a = random.randrange(2) if random.random() < eps else int(q(torch.tensor(s)).argmax())
    s2, r, done, cut = env.step(a)
    mem.push(s, a, r, s2, done)
    ret += r
    s = s2
    if done or cut:
        returns.append(ret)
        s, ret = env.reset(), 0.0
    if len(mem.buf) < 200:
        continue
    bs, ba, br, bs2, bd = mem.sample(32)
    with torch.no_grad():
        y = br + 0.95 * target(bs2).max(1).values * (1 - bd)
    td = q(bs).gather(1, ba) - y
    loss = torch.where(td.abs() < 1, 0.5 * td ** 2, td.abs() - 0.5).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    updates += 1
    if updates % 50 == 0:
        target.load_state_dict(q.state_dict())
    if updates % 250 == 0:
        print(updates, f"td {loss.item():.4f} return {sum(returns[-10:]) / max(1, len(returns[-10:])):.3f}")
with torch.no_grad():
    qs = q(torch.eye(Corridor.N))
print("greedy policy", qs.argmax(1).tolist(), "q spread over states", qs.max(1).values.std().item())
