# fault: none
# family: rl
# split: held
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

"""A2C with 16 copies of a little "keep the cart in the lane" game. The policy loss wanders about below zero: a bug?"""

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
N, ROLLOUT, GAMMA, LAMBDA = 16, 16, 0.97, 0.95


class Lanes:
    """position and speed with wind; three thrusts; +1 for each step inside |x| < 1; over at |x| > 2 or after 100 steps"""

    def __init__(self, n):
        self.n = n
        self.s = torch.zeros(n, 3)
        self.t = torch.zeros(n)
        self.ret = torch.zeros(n)
        self.finished = []
        self._reset(torch.ones(n, dtype=torch.bool))

    def _reset(self, m):
        k = int(m.sum())
        if k:
            self.s[m] = torch.cat([torch.rand(k, 1) * 1.6 - 0.8, torch.randn(k, 1) * 0.1, torch.randn(k, 1) * 0.5], 1)
            self.t[m] = 0
            self.ret[m] = 0

    def step(self, a):
        x, v, w = self.s.T
        v = 0.95 * v + 0.12 * (a.float() - 1) + 0.08 * w + 0.02 * torch.randn(self.n)
        x = x + 0.3 * v
        self.s = torch.stack([x, v, w], 1)
        self.t += 1
        r = (x.abs() < 1).float()
        self.ret += r
        fell = x.abs() > 2
        end = fell | (self.t >= 100)
        last = self.s.clone()
        self.finished += self.ret[end].tolist()
        self._reset(end)
        return self.s.clone(), r, fell, end, last


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 3))
        self.critic = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, s):
        return Categorical(logits=self.actor(s)), self.critic(s).squeeze(-1)


env, net = Lanes(N), ActorCritic()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
s = env.s.clone()
for update in range(1, 201):
    S, A, R, V, NV, END = [], [], [], [], [], []
    with torch.no_grad():
        for _ in range(ROLLOUT):
            pi, v = net(s)
            a = pi.sample()
            s2, r, fell, end, last = env.step(a)
            nv = net.critic(last).squeeze(-1) * (~fell).float()
            for lst, val in zip((S, A, R, V, NV, END), (s, a, 0.1 * r, v, nv, end)):
                lst.append(val)
            s = s2
        adv, g = [], torch.zeros(N)
        for t in reversed(range(ROLLOUT)):
            delta = R[t] + GAMMA * NV[t] - V[t]
            g = delta + GAMMA * LAMBDA * g * (~END[t]).float()
            adv.insert(0, g)
        adv = torch.stack(adv).flatten()
        target = adv + torch.stack(V).flatten()
        norm = (adv - adv.mean()) / (adv.std() + 1e-8)
    pi, v = net(torch.cat(S))
    policy_loss = -(pi.log_prob(torch.cat(A)) * norm).mean()
    value_loss = F.smooth_l1_loss(v, target)
    entropy = pi.entropy().mean()
    loss = policy_loss + 0.5 * value_loss - 0.01 * entropy
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
    if update % 20 == 0:
        f = env.finished[-50:]
        print(f"update {update}: policy {policy_loss.item():+.3f} value {value_loss.item():.3f} entropy {entropy.item():.3f} "
              f"mean return {sum(f) / max(1, len(f)):.1f}")
