# fault: none
# family: rl
# split: tune
"""Small DQN with replay and a target network that is copied every 50 steps."""
import os
import random
from collections import deque
import torch
from torch import nn

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)
SIZE, GAMMA = 5, 0.9


def reset():
    return [random.randrange(SIZE), random.randrange(SIZE)]


def move(s, a):
    dx, dy = ((0, 1), (0, -1), (1, 0), (-1, 0))[a]
    s2 = [min(max(s[0] + dx, 0), SIZE - 1), min(max(s[1] + dy, 0), SIZE - 1)]
    goal = s2 == [SIZE - 1, SIZE - 1]
    return s2, (1.0 if goal else -0.02), goal


def enc(batch):
    return torch.tensor(batch, dtype=torch.float32) / 2 - 1


def qnet():
    return nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 4))


online, target = qnet(), qnet()
target.load_state_dict(online.state_dict())
for p in target.parameters():
    p.requires_grad_(False)
opt = torch.optim.Adam(online.parameters(), lr=1e-3)
memory = deque(maxlen=3000)
s, t, done_count = reset(), 0, 0
for step in range(1, 2401):
    eps = max(0.1, 1 - step / 1200)
    if random.random() < eps:
        a = random.randrange(4)
    else:
        with torch.no_grad():
            a = online(enc([s])).argmax().item()
    s2, r, done = move(s, a)
    memory.append((s, a, r, s2, done))
    t += 1
    s = s2
    if done or t >= 30:
        s, t = reset(), 0
    if step > 400 and step % 2 == 0:
        S, A, R, S2, D = zip(*random.sample(memory, 64))
        q = online(enc(S)).gather(1, torch.tensor(A)[:, None]).squeeze(1)
        with torch.no_grad():
            y = torch.tensor(R) + GAMMA * (1 - torch.tensor(D).float()) * target(enc(S2)).max(1).values
        loss = nn.functional.smooth_l1_loss(q, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 100 == 0:
            target.load_state_dict(online.state_dict())
        if step % 400 == 0:
            steps = []
            for x0 in range(SIZE):
                for y0 in range(SIZE):
                    c, k, d = [x0, y0], 0, (x0 == y0 == SIZE - 1)
                    while not d and k < 20:
                        with torch.no_grad():
                            c, _, d = move(c, online(enc([c])).argmax().item())
                        k += 1
                    steps.append(k)
            print(f"{step} loss {loss.item():.5f} mean steps to the goal {sum(steps) / len(steps):.2f}")
