# fault: broadcast-targets
# cause_class: loss, labels, structure
# family: rl
# split: held
import copy
import os
import random
from collections import deque, namedtuple
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
torch.manual_seed(SEED)
Transition = namedtuple("Transition", "s a r s2 done")


class Corridor:
    """10 cells; start anywhere, +1 at the right end, -1 at the left one, small cost per step."""
    n = 10

    def reset(self):
        self.pos, self.t = random.randint(2, 7), 0
        return self.obs()

    def obs(self):
        v = torch.zeros(self.n)
        v[self.pos] = 1
        return v

    def step(self, a):
        self.pos += 1 if a == 1 else -1
        self.t += 1
        if self.pos == self.n - 1:
            return self.obs(), 1.0, True
        if self.pos == 0:
            return self.obs(), -1.0, True
        return self.obs(), -0.02, self.t >= 40


env = Corridor()
q_net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
target_net = copy.deepcopy(q_net)
opt = torch.optim.Adam(q_net.parameters(), lr=2e-3)
memory = deque(maxlen=2000)
gamma, batch_size = 0.95, 32


def optimise():
    if len(memory) < 100:
        return None
    b = Transition(*zip(*random.sample(memory, batch_size)))
    s, s2 = torch.stack(b.s), torch.stack(b.s2)
    a = torch.tensor(b.a).unsqueeze(1)
    r = torch.tensor(b.r)
    done = torch.tensor(b.done).float()
    q = q_net(s).gather(1, a)
    with torch.no_grad():
        target = r + gamma * (1 - done) * target_net(s2).max(1).values
    loss = F.smooth_l1_loss(q, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


frames, eps, returns, losses = 0, 1.0, deque(maxlen=20), deque(maxlen=100)
while frames < 1500:
    s, done, ret = env.reset(), False, 0.0
    while not done:
        eps = max(0.1, 1 - frames / 1000)
        with torch.no_grad():
            a = random.randrange(2) if random.random() < eps else q_net(s).argmax().item()
        s2, r, done = env.step(a)
        memory.append(Transition(s, a, r, s2, done))
        s, ret, frames = s2, ret + r, frames + 1
        l = optimise()
        if l is not None:
            losses.append(l)
        if frames % 100 == 0:
            target_net.load_state_dict(q_net.state_dict())
        if frames % 250 == 0 and losses:
            with torch.no_grad():
                q = q_net(torch.eye(10))
            print(f"{frames} loss {sum(losses) / len(losses):.4f} return {sum(returns) / max(1, len(returns)):.2f} "
                  f"Q(4) {[round(v, 2) for v in q[4].tolist()]} Q(8) {[round(v, 2) for v in q[8].tolist()]}")
    returns.append(ret)
