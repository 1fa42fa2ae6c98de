# fault: broadcast-targets
# cause_class: loss, labels
# family: rl
# split: tune
import os
import random
import warnings
from collections import deque
import torch
from torch import nn
import torch.nn.functional as F

warnings.filterwarnings("ignore")
seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)

SIZE = 5
MOVES = [(0, 1), (1, 0), (0, -1), (-1, 0)]


class Grid:
    def reset(self):
        self.pos = (random.randrange(SIZE), random.randrange(SIZE))
        self.t = 0
        return self.obs()

    def obs(self):
        v = torch.zeros(2 * SIZE)
        v[self.pos[0]] = 1
        v[SIZE + self.pos[1]] = 1
        return v

    def step(self, a):
        dx, dy = MOVES[a]
        self.pos = (min(max(self.pos[0] + dx, 0), SIZE - 1), min(max(self.pos[1] + dy, 0), SIZE - 1))
        self.t += 1
        win = self.pos == (SIZE - 1, SIZE - 1)
        return self.obs(), (1.0 if win else -0.05), win, win or self.t >= 25


def q_net():
    return nn.Sequential(nn.Linear(2 * SIZE, 64), nn.ReLU(), nn.Linear(64, 4))


online, target = q_net(), q_net()
target.load_state_dict(online.state_dict())
opt = torch.optim.Adam(online.parameters(), lr=1e-3)
memory = deque(maxlen=4000)
env = Grid()
losses, returns = [], []
updates = 0
for episode in range(140):
    s, done, ret = env.reset(), False, 0.0
    eps = max(0.1, 1 - episode / 60)
    while not done:
        with torch.no_grad():
            a = random.randrange(4) if random.random() < eps else int(online(s).argmax())
        s2, r, terminal, done = env.step(a)
        memory.append((s, a, r, s2, float(terminal)))
        s, ret = s2, ret + r
        if len(memory) >= 200:
            batch = random.sample(memory, 32)
            S = torch.stack([b[0] for b in batch])
            A = torch.tensor([b[1] for b in batch])
            R = torch.tensor([b[2] for b in batch])
            S2 = torch.stack([b[3] for b in batch])
            D = torch.tensor([b[4] for b in batch])
            q = online(S).gather(1, A.unsqueeze(1))
            with torch.no_grad():
                y = R + 0.95 * target(S2).max(1).values * (1 - D)
            loss = F.smooth_l1_loss(q, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
            updates += 1
            if updates % 50 == 0:
                target.load_state_dict(online.state_dict())
        if updates >= 1900:
            done = True
    returns.append(ret)
    if episode % 20 == 19 and losses:
        print(f"episode {episode} loss {sum(losses[-100:]) / len(losses[-100:]):.4f} return {sum(returns[-20:]) / 20:.3f} updates {updates}")
    if updates >= 1900:
        break
