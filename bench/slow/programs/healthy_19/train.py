"""Learns to keep a row of tanks at their level (deep Q-learning with a replay memory of a fixed size)."""
import copy
import time

import numpy as np
import torch
from torch import nn

TANKS, PLANTS, CAPACITY = 96, 256, 120_000
rng = np.random.default_rng(77)
torch.manual_seed(77)


class Memory:
    def __init__(self, capacity, width):
        self.state = np.empty((capacity, width), np.float32)
        self.after = np.empty((capacity, width), np.float32)
        self.action = np.empty(capacity, np.int64)
        self.reward = np.empty(capacity, np.float32)
        self.capacity, self.size, self.head = capacity, 0, 0

    def add(self, state, action, reward, after):
        rows = (self.head + np.arange(len(action))) % self.capacity
        self.state[rows], self.action[rows], self.reward[rows], self.after[rows] = state, action, reward, after
        self.head = (self.head + len(action)) % self.capacity
        self.size = min(self.capacity, self.size + len(action))

    def sample(self, n):
        rows = rng.integers(0, self.size, n)
        return tuple(torch.from_numpy(a[rows]) for a in (self.state, self.action, self.reward, self.after))


class Plant:
    """Water flows from tank to tank; an action opens one of the valves or none."""

    def __init__(self, n):
        self.level = rng.uniform(0.2, 0.8, (n, TANKS))

    def observe(self):
        return (self.level - 0.5 + 0.02 * rng.standard_normal(self.level.shape)).astype(np.float32)

    def step(self, action):
        flow = 0.04 * np.diff(self.level, axis=1, prepend=self.level[:, :1])
        self.level -= flow
        self.level += 0.01 * rng.standard_normal(self.level.shape)
        rows = np.flatnonzero(action < TANKS)
        self.level[rows, action[rows]] -= 0.15
        self.level += 0.004
        self.level = self.level.clip(0, 1)
        return -np.abs(self.level - 0.5).mean(1).astype(np.float32)


def network():
    return nn.Sequential(nn.Linear(TANKS, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, TANKS + 1))


plant, memory = Plant(PLANTS), Memory(CAPACITY, TANKS)
q = network()
frozen = copy.deepcopy(q)
optimizer = torch.optim.Adam(q.parameters(), lr=3e-4)
state = plant.observe()
recent, start = 0.0, time.time()
for step in range(1, 801):
    with torch.no_grad():
        best = q(torch.from_numpy(state)).argmax(1).numpy()
    explore = rng.random(PLANTS) < max(0.05, 1 - step / 500)
    action = np.where(explore, rng.integers(0, TANKS + 1, PLANTS), best)
    reward = plant.step(action)
    after = plant.observe()
    memory.add(state, action, reward, after)
    state = after
    recent = 0.98 * recent + 0.02 * float(reward.mean())

    s, a, r, n = memory.sample(512)
    with torch.no_grad():
        goal = r + 0.95 * frozen(n).max(1).values
    loss = nn.functional.smooth_l1_loss(q(s).gather(1, a[:, None])[:, 0], goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        frozen.load_state_dict(q.state_dict())
        print(f"{step}: loss {loss.item():.5f} reward {recent:.4f} memory {memory.size} {time.time() - start:.1f} s")
