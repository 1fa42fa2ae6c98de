# fault: none
# family: rl
# split: held
import os
import random
from collections import deque

import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)


class Corridor:
    """Eight rooms, a small reward on the left, a large one on the right."""
    N = 8

    def reset(self):
        self.s, self.t = 3, 0
        return self.s

    def step(self, a):
        self.s += 1 if a == 1 else -1
        self.t += 1
        if self.s == 0:
            return self.s, 0.2, True
        if self.s == self.N - 1:
            return self.s, 1.0, True
        return self.s, -0.01, self.t >= 30


def onehot(s):
    return torch.nn.functional.one_hot(torch.as_tensor(s), Corridor.N).float()


def make_q():
    return nn.Sequential(nn.Linear(Corridor.N, 32), nn.ReLU(), nn.Linear(32, 2))


q, q_target = make_q(), make_q()
q_target.load_state_dict(q.state_dict())
for p in q_target.parameters():
    p.requires_grad = False
optimizer = torch.optim.Adam(q.parameters(), lr=2e-3)
memory = deque(maxlen=3000)
env, gamma, updates = Corridor(), 0.95, 0
scores = deque(maxlen=20)
s = env.reset()
total = 0.0
for t in range(2500):
    eps = max(0.1, 1 - t / 1200)
    with torch.no_grad():
        a = random.randrange(2) if random.random() < eps else q(onehot(s)).argmax().item()
    s2, r, done = env.step(a)
    memory.append((s, a, r, s2, float(done)))
    total += r
    s = s2
    if done:
        scores.append(total)
        s, total = env.reset(), 0.0
    if len(memory) >= 200 and t % 2 == 0:
        bs, ba, br, bs2, bd = map(torch.tensor, zip(*random.sample(memory, 32)))
        with torch.no_grad():
            goal = br + gamma * (1 - bd) * q_target(onehot(bs2)).max(1).values
        pred = q(onehot(bs)).gather(1, ba.unsqueeze(1)).squeeze(1)
        loss = nn.functional.smooth_l1_loss(pred, goal)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        updates += 1
        if updates % 50 == 0:
            q_target.load_state_dict(q.state_dict())
    if t % 400 == 399:
        with torch.no_grad():
            best = q(onehot(list(range(Corridor.N)))).argmax(1).tolist()
        print(f"{t + 1} td loss {loss.item():.5f} mean score {sum(scores) / len(scores):.3f} policy {best[1:-1]}")
