# fault: none
# family: reinforcement
# split: held
# set: badger, unseen
# metric: return higher
# baseline: -5.5
# reaches: 2.0
# Unusual: the TD loss starts low and says little about progress (its regression targets move, with a jump every 40 updates when the target net is copied); the mean value crosses from negative to positive.
import copy
import os
import random

import numpy as np
import torch
import torch.nn as nn

torch.set_num_threads(1)
SEED = int(os.environ.get("SEED", 0))
random.seed(SEED); np.random.seed(SEED); torch.manual_seed(SEED)

# One-dimensional lander: state (height, speed); actions off / half / full thrust. Many landers at a time.
G, DT = 1.0, 0.4
THRUST = np.array([0.0, 1.0, 2.2], np.float32)


class Landers:
    def __init__(self, n, rng):
        self.n, self.rng = n, rng
        self.s = np.zeros((n, 2), np.float32)
        self.fresh(np.ones(n, bool))

    def fresh(self, m):
        k = m.sum()
        self.s[m] = np.stack([self.rng.uniform(2, 5, k), self.rng.uniform(-1, 0.2, k)], 1)

    def step(self, a):
        h, v = self.s.T
        v2 = v + (THRUST[a] - G) * DT
        h2 = h + v2 * DT
        down, lost = h2 <= 0, h2 > 8
        r = np.where(down, 6.0 - 6.0 * np.maximum(np.abs(v2) - 0.5, 0), -0.2)
        r = np.where(lost, -6.0, r).clip(-6.0).astype(np.float32)
        done = down | lost
        nxt = np.stack([h2, v2], 1).astype(np.float32)
        self.s = nxt.copy()
        self.fresh(done)
        return nxt, r, done


SCALE = torch.tensor([3.0, 1.5])
q = nn.Sequential(nn.Linear(2, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 3))
target = copy.deepcopy(q)
STEPS = 1600
opt = torch.optim.Adam(q.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.1, STEPS)
huber = nn.SmoothL1Loss()
rng = np.random.default_rng(SEED)


def greedy(s):
    with torch.no_grad():
        return q(torch.from_numpy(s) / SCALE).argmax(1).numpy()


def score(policy, n=300):
    env = Landers(n, np.random.default_rng(10_000 + SEED))
    tot, alive = np.zeros(n), np.ones(n, bool)
    for _ in range(50):
        _, r, d = env.step(policy(env.s))
        tot += r * alive
        alive &= ~d
    return tot.mean()


CAP = 60_000
buf = dict(s=torch.zeros(CAP, 2), a=torch.zeros(CAP, dtype=torch.long), r=torch.zeros(CAP), n=torch.zeros(CAP, 2), d=torch.zeros(CAP))
fill = 0
env = Landers(32, rng)
for step in range(1, STEPS + 1):
    eps = max(0.1, 1 - step / 800)
    s = env.s.copy()
    a = np.where(rng.random(32) < eps, rng.integers(0, 3, 32), greedy(s))
    n, r, d = env.step(a)
    at = torch.arange(fill, fill + 32) % CAP
    for k, v in zip("sarnd", (s, a, r, n, d.astype(np.float32))):
        buf[k][at] = torch.from_numpy(np.ascontiguousarray(v))
    fill += 32
    pick = torch.randint(min(fill, CAP), (128,))
    with torch.no_grad():
        nx = buf["n"][pick] / SCALE
        best = q(nx).argmax(1, keepdim=True)
        y = buf["r"][pick] + 0.97 * (1 - buf["d"][pick]) * target(nx).gather(1, best).squeeze(1)
    pred = q(buf["s"][pick] / SCALE).gather(1, buf["a"][pick][:, None]).squeeze(1)
    loss = huber(pred, y)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(q.parameters(), 10.0)
    opt.step()
    sched.step()
    if step % 40 == 0:
        target.load_state_dict(q.state_dict())
    if step % 100 == 0:
        print(f"step {step} td {loss.item():.3f} mean q {pred.mean().item():.2f} eps {eps:.2f} return {score(greedy, 100):.2f}")

r2 = np.random.default_rng(SEED + 1)
print("random thrust:", round(score(lambda s: r2.integers(0, 3, len(s))), 2), "| engine off:", round(score(lambda s: np.zeros(len(s), int)), 2))
print(f"result: return {score(greedy):.3f}")
