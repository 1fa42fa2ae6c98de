# fault: none
# family: reinforcement
# split: held
# set: okapi, unseen
# advantage actor-critic, pole balancing, all environments stepped as one numpy array
import os
import math
import random
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class Poles:
    """standard cart-pole equations, n copies; an episode ends after 200 steps or when the pole falls"""

    def __init__(self, n, rng, limit=200):
        self.n, self.rng, self.limit = n, rng, limit
        self.s = np.zeros((n, 4))
        self.t = np.zeros(n, int)
        self._reset(np.ones(n, bool))

    def _reset(self, m):
        self.s[m] = self.rng.uniform(-0.05, 0.05, (m.sum(), 4))
        self.t[m] = 0

    def obs(self):
        return torch.tensor(self.s, dtype=torch.float32) / torch.tensor([2.4, 2.0, 0.21, 2.0])

    def step(self, a):
        x, v, th, w = self.s.T
        f = np.where(a == 1, 10.0, -10.0)
        c, s = np.cos(th), np.sin(th)
        tmp = (f + 0.05 * w ** 2 * s) / 1.1
        wa = (9.8 * s - c * tmp) / (0.5 * (4 / 3 - 0.1 * c ** 2 / 1.1))
        xa = tmp - 0.05 * wa * c / 1.1
        self.s = np.stack([x + 0.02 * v, v + 0.02 * xa, th + 0.02 * w, w + 0.02 * wa], 1)
        self.t += 1
        fallen = (np.abs(self.s[:, 0]) > 2.4) | (np.abs(self.s[:, 2]) > 0.21)
        done = fallen | (self.t >= self.limit)
        reward = np.ones(self.n)
        length = np.where(done, self.t, 0)
        self._reset(done)
        return reward, done, length


class ActorCritic(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(4, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 2))
        self.critic = nn.Sequential(nn.Linear(4, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, o):
        return self.actor(o), self.critic(o).squeeze(-1)


@torch.no_grad()
def play(net, seed=123):
    env = Poles(40, np.random.default_rng(seed))
    first = np.zeros(40)
    for _ in range(200):
        logits, _ = net(env.obs())
        _, done, length = env.step(logits.argmax(-1).numpy())
        first = np.where((first == 0) & done, length, first)
    return first.mean()


GAMMA = 0.98
LAM = 0.95
ENT = 0.003
VF = 0.5
LR = 8e-3
N_ENV, HORIZON, UPDATES = 32, 32, 80

seed = int(os.environ.get("SEED", 0))
random.seed(seed); np.random.seed(seed); torch.manual_seed(seed)
env = Poles(N_ENV, np.random.default_rng(seed))
net = ActorCritic()
opt = torch.optim.Adam(net.parameters(), lr=LR)
recent = []

for update in range(UPDATES):
    obs, acts, rews, dones = [], [], [], []
    for _ in range(HORIZON):
        o = env.obs()
        with torch.no_grad():
            a = Categorical(logits=net.actor(o)).sample()
        r, d, length = env.step(a.numpy())
        obs.append(o); acts.append(a)
        rews.append(torch.tensor(r, dtype=torch.float32)); dones.append(torch.tensor(d, dtype=torch.float32))
        recent += [l for l in length if l > 0]
    obs, acts = torch.stack(obs), torch.stack(acts)
    logits, values = net(obs)

    with torch.no_grad():
        next_v = net.critic(env.obs()).squeeze(-1)
        v = values.detach()
        adv = torch.zeros_like(v)
        gae = torch.zeros(N_ENV)
        for t in reversed(range(HORIZON)):
            alive = 1.0 - dones[t]
            delta = rews[t] + GAMMA * next_v * alive - v[t]
            gae = delta + GAMMA * LAM * alive * gae
            adv[t] = gae
            next_v = v[t]
        returns = adv + v
        adv_n = (adv - adv.mean()) / (adv.std() + 1e-8)

    dist = Categorical(logits=logits)
    policy_loss = -(dist.log_prob(acts) * adv_n).mean()
    value_loss = (values - returns).pow(2).mean()
    loss = policy_loss + VF * value_loss - ENT * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()

    if update % 20 == 19:
        print(f"update {update + 1} mean length {np.mean(recent[-100:]):.1f} value loss {value_loss.item():.2f}")

print(f"METRIC greedy_length {play(net):.1f}")
