# fault: none
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
SIZE, MOVES = 4, [(0, 1), (0, -1), (1, 0), (-1, 0)]


class Grid:
    def reset(self):
        self.p, self.t = (random.randrange(SIZE), random.randrange(SIZE)), 0
        if self.p == (SIZE - 1, SIZE - 1):
            return self.reset()
        return self.obs()

    def obs(self):
        v = [0.0] * (SIZE * SIZE)
        v[self.p[0] * SIZE + self.p[1]] = 1.0
        return v

    def step(self, a):
        self.p = tuple(min(SIZE - 1, max(0, c + d)) for c, d in zip(self.p, MOVES[a]))
        self.t += 1
        goal = self.p == (SIZE - 1, SIZE - 1)
        return self.obs(), 1.0 if goal else -0.04, goal, self.t >= 25


def net():
    return nn.Sequential(nn.Linear(SIZE * SIZE, 48), nn.ReLU(), nn.Linear(48, 4))


q, qt = net(), net()
qt.load_state_dict(q.state_dict())
qt.requires_grad_(False)
opt = torch.optim.Adam(q.parameters(), lr=2e-3)
buf = collections.deque(maxlen=4000)
env = Grid()
s, ret, rets, n = env.reset(), 0.0, [], 0
for step in range(1500):
    eps = max(0.05, 1 - step / 900)
    with torch.no_grad():
        a = random.randrange(4) if random.random() < eps else q(torch.tensor(s)).argmax().item()
    s2, r, done, cut = env.step(a)
    buf.append((s, a, r, s2, float(done)))
    ret, s = ret + r, s2
    if done or cut:
        rets.append(ret)
        s, ret = env.reset(), 0.0
    if len(buf) >= 200:
        bs, ba, br, bn, bd = map(torch.tensor, zip(*random.sample(buf, 32)))
        y = br + 0.95 * (1 - bd) * qt(bn).max(1).values
        loss = nn.functional.smooth_l1_loss(q(bs).gather(1, ba[:, None]).squeeze(1), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        n += 1
        if n % 60 == 0:
            qt.load_state_dict(q.state_dict())
        if n % 200 == 0:
            print(f"{n} td {loss.item():.5f} mean return {sum(rets[-15:]) / 15:.3f}")
