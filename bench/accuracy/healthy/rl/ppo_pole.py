# fault: none
# family: rl
# split: tune
# PPO with clipped ratio, value loss and entropy bonus on a small pole-balancing simulation.
import math
import os

import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(int(os.environ.get("SEED", "0")))

N, T = 16, 32


class Poles:
    """N poles at once; an episode ends when a pole leans too far."""

    def __init__(self):
        self.s = 0.05 * torch.randn(N, 2)
        self.age = torch.zeros(N)
        self.ages = []

    def step(self, a):
        th, om = self.s.unbind(1)
        acc = 9.8 * torch.sin(th) + torch.where(a == 1, 3.0, -3.0) + 0.3 * torch.randn(N)
        om = om + 0.05 * acc
        th = th + 0.05 * om
        self.s = torch.stack([th, om], 1)
        self.age += 1
        done = (th.abs() > 0.3) | (self.age >= 200)
        self.ages += self.age[done].tolist()
        self.s[done] = 0.05 * torch.randn(int(done.sum()), 2)
        self.age[done] = 0
        return torch.ones(N), done.float()


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 32), nn.Tanh())
        self.pi, self.v = nn.Linear(32, 2), nn.Linear(32, 1)

    def forward(self, s):
        h = self.body(s)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


env, net = Poles(), ActorCritic()
opt = torch.optim.Adam(net.parameters(), lr=5e-3, eps=1e-5)
losses = []
for it in range(14):
    S, A, LP, R, D, V = [], [], [], [], [], []
    with torch.no_grad():
        for _ in range(T):
            dist, v = net(env.s * 5)
            a = dist.sample()
            S.append(env.s * 5), A.append(a), LP.append(dist.log_prob(a)), V.append(v)
            r, d = env.step(a)
            R.append(r), D.append(d)
        nxt = net(env.s * 5)[1]
        adv, last = [], torch.zeros(N)
        for t in reversed(range(T)):
            delta = R[t] + 0.98 * nxt * (1 - D[t]) - V[t]
            last = delta + 0.98 * 0.95 * (1 - D[t]) * last
            adv.append(last)
            nxt = V[t]
    adv = torch.stack(adv[::-1]).flatten()
    S, A, LP, V = (torch.stack(z).flatten(0, 1) for z in (S, A, LP, V))
    ret = adv + V
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    for epoch in range(4):
        for i in torch.randperm(N * T).split(128):
            dist, v = net(S[i])
            ratio = torch.exp(dist.log_prob(A[i]) - LP[i])
            pg = -torch.min(ratio * adv[i], ratio.clamp(0.8, 1.2) * adv[i]).mean()
            loss = pg + 0.5 * ((v - ret[i]) ** 2).mean() / 100 - 0.01 * dist.entropy().mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            opt.step()
            losses.append(loss.item())
k = len(env.ages) // 4
print(f"episode length first {sum(env.ages[:k]) / k:.1f} last {sum(env.ages[-k:]) / k:.1f}")
print(f"loss first {losses[0]:.4f} last {losses[-1]:.4f}")
