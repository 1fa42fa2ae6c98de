# fault: none
# family: rl
# split: held
import copy
import os
import random
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
torch.manual_seed(SEED)

N, GAMMA = 9, 0.95
EYE = torch.eye(N)


def step(s, a):
    s = s + (1 if a else -1)
    if s == N - 1:
        return s, 1.0, True
    if s == 0:
        return s, 0.2, True
    return s, 0.0, False


online = nn.Sequential(nn.Linear(N, 24), nn.ReLU(), nn.Linear(24, 2))
target = copy.deepcopy(online).requires_grad_(False)
opt = torch.optim.RMSprop(online.parameters(), lr=1e-3)
buf, log = [], []
s, total, episodes = 4, 0.0, 0
for frame in range(1, 1801):
    eps = max(0.1, 1 - frame / 900)
    if random.random() < eps:
        a = random.randrange(2)
    else:
        with torch.no_grad():
            a = int(online(EYE[s]).argmax())
    s2, r, done = step(s, a)
    buf.append((s, a, r, s2, float(done)))
    buf = buf[-1500:]
    s = random.randint(1, N - 2) if done else s2
    if len(buf) >= 64:
        bs, ba, br, bs2, bd = (torch.tensor(c) for c in zip(*random.sample(buf, 32)))
        q = online(EYE[bs]).gather(1, ba.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            best = online(EYE[bs2]).argmax(1, keepdim=True)
            tq = br + GAMMA * (1 - bd) * target(EYE[bs2]).gather(1, best).squeeze(1)
        loss = F.smooth_l1_loss(q, tq)
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.append(loss.item())
        with torch.no_grad():
            for p, t in zip(online.parameters(), target.parameters()):
                t.lerp_(p, 0.02)
    if frame % 300 == 0:
        with torch.no_grad():
            v = online(EYE)
        print(f"{frame} loss {sum(log[-100:]) / 100:.5f} V {[round(x, 2) for x in v.max(1).values[1:-1].tolist()]} "
              f"policy {v.argmax(1)[1:-1].tolist()}")
