# fault: none
# family: rl
# split: held
import copy
import os
import random
from collections import deque

import torch
import torch.nn.functional as F
from torch import nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)
SIZE, GOAL, PITS = 5, (4, 4), {(1, 1), (2, 3), (3, 1)}
MOVES = [(0, 1), (1, 0), (0, -1), (-1, 0)]


def encode(pos):
    v = torch.zeros(2 * SIZE)
    v[pos[0]] = v[SIZE + pos[1]] = 1.0
    return v


def step(pos, a):
    r = min(max(pos[0] + MOVES[a][0], 0), SIZE - 1)
    c = min(max(pos[1] + MOVES[a][1], 0), SIZE - 1)
    if (r, c) == GOAL:
        return (r, c), 1.0, True
    if (r, c) in PITS:
        return (r, c), -1.0, True
    return (r, c), -0.02, False


class DQN:
    def __init__(self, gamma=0.95, lr=1e-3, sync=50):
        self.q = nn.Sequential(nn.Linear(2 * SIZE, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.gamma, self.sync, self.updates = gamma, sync, 0
        self.memory = deque(maxlen=4000)

    def act(self, s, eps):
        if random.random() < eps:
            return random.randrange(4)
        with torch.no_grad():
            return int(self.q(s).argmax())

    def learn(self, batch=64):
        s, a, r, s2, done = zip(*random.sample(self.memory, batch))
        s, s2 = torch.stack(s), torch.stack(s2)
        a, r, done = torch.tensor(a), torch.tensor(r), torch.tensor(done, dtype=torch.float32)
        with torch.no_grad():
            best = self.q(s2).argmax(1, keepdim=True)
            goal = r + self.gamma * (1 - done) * self.target(s2).gather(1, best)[:, 0]
        loss = F.smooth_l1_loss(self.q(s).gather(1, a[:, None])[:, 0], goal)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q.parameters(), 10.0)
        self.opt.step()
        self.updates += 1
        if self.updates % self.sync == 0:
            self.target.load_state_dict(self.q.state_dict())
        return loss.item()


agent, scores, losses = DQN(), [], []
for episode in range(200):
    pos, total = (random.randrange(2), random.randrange(2) if random.random() < 0.5 else 0), 0.0
    if pos in PITS:
        pos = (0, 0)
    for _ in range(25):
        s = encode(pos)
        a = agent.act(s, max(0.05, 1 - episode / 100))
        pos, r, done = step(pos, a)
        agent.memory.append((s, a, r, encode(pos), done))
        total += r
        if len(agent.memory) >= 200 and len(agent.memory) % 2 == 0 and agent.updates < 1100:
            losses.append(agent.learn())
        if done:
            break
    scores.append(total)
    if episode % 20 == 19:
        m = sum(losses[-100:]) / max(1, len(losses[-100:]))
        print(f"episode {episode + 1} updates {agent.updates} td loss {m:.4f} return {sum(scores[-20:]) / 20:.3f}")
