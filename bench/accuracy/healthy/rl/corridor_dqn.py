# fault: none
# family: rl
# split: held
"""Q-learning with a target network in a corridor of eight cells; the squared error does not fall evenly."""
import copy
import os
import random
from collections import deque

import torch
from torch import nn

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)
CELLS = 8
q = nn.Sequential(nn.Linear(CELLS, 32), nn.ReLU(), nn.Linear(32, 2))
target = copy.deepcopy(q).requires_grad_(False)
opt = torch.optim.Adam(q.parameters(), lr=2e-3)
memory = deque(maxlen=3000)
eye = torch.eye(CELLS)


def move(s, a):
    s2 = max(0, s - 1) if a == 0 else s + 1
    if random.random() < 0.1:
        s2 = s
    return (s2, 1.0, True) if s2 == CELLS - 1 else (s2, -0.02, False)


updates, returns = 0, []
for episode in range(120):
    s, total = random.randrange(CELLS - 1), 0.0
    eps = max(0.1, 1 - episode / 60)
    for _ in range(25):
        with torch.no_grad():
            a = random.randrange(2) if random.random() < eps else int(q(eye[s]).argmax())
        s2, r, done = move(s, a)
        memory.append((s, a, r, s2, done))
        s, total = s2, total + r
        if len(memory) >= 64:
            b = random.sample(memory, 32)
            S, A, R, S2, Dn = (torch.tensor(v) for v in zip(*b))
            with torch.no_grad():
                y = R + 0.95 * target(eye[S2]).max(1).values * (~Dn)
            loss = nn.functional.smooth_l1_loss(q(eye[S]).gather(1, A[:, None])[:, 0], y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            updates += 1
            if updates % 50 == 0:
                target.load_state_dict(q.state_dict())
        if done:
            break
    returns.append(total)
    if episode % 12 == 11:
        print(f"episode {episode + 1} updates {updates} return {sum(returns[-12:]) / 12:.3f} loss {loss.item():.5f}")
print("greedy moves", q(eye[:CELLS - 1]).argmax(1).tolist())
