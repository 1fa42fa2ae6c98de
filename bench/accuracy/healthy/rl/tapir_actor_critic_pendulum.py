# fault: none
# family: rl
# split: held
"""A2C with continuous actions on a damped point mass that is to be held at the origin."""
import os

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Mass:
    def __init__(self, n=32):
        self.n = n
        self.s = self.fresh(n)

    def fresh(self, n):
        return torch.stack([torch.empty(n).uniform_(-1.5, 1.5), torch.empty(n).uniform_(-0.5, 0.5)], 1)

    def step(self, a):
        x, v = self.s[:, 0], self.s[:, 1]
        v = 0.9 * v + 0.3 * a.clamp(-1, 1)
        x = x + 0.3 * v
        r = -(x * x + 0.1 * v * v)
        self.s = torch.stack([x, v], 1).clamp(-3, 3)
        done = torch.rand(self.n) < 0.03
        self.s = torch.where(done[:, None], self.fresh(self.n), self.s)
        return self.s, r, done.float()


actor = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))
critic = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))
log_std = nn.Parameter(torch.tensor(-0.3))
a_opt = torch.optim.Adam([*actor.parameters(), log_std], lr=2e-3)
c_opt = torch.optim.Adam(critic.parameters(), lr=5e-3)
env, gamma, T = Mass(), 0.95, 8
s = env.s
hist = []
for it in range(500):
    S, A, R, D = [], [], [], []
    for _ in range(T):
        with torch.no_grad():
            a = Normal(actor(s).squeeze(-1), log_std.exp()).sample()
        S.append(s)
        A.append(a)
        s, r, d = env.step(a)
        R.append(r)
        D.append(d)
    with torch.no_grad():
        g = critic(s).squeeze(-1)
        G = []
        for r, d in zip(reversed(R), reversed(D)):
            g = r + gamma * (1 - d) * g
            G.insert(0, g)
    S, A, G = torch.cat(S), torch.cat(A), torch.cat(G)
    v = critic(S).squeeze(-1)
    c_loss = nn.functional.smooth_l1_loss(v, G)
    c_opt.zero_grad()
    c_loss.backward()
    c_opt.step()
    adv = G - v.detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    dist = Normal(actor(S).squeeze(-1), log_std.exp())
    a_loss = -(dist.log_prob(A) * adv).mean() - 0.001 * dist.entropy().mean()
    a_opt.zero_grad()
    a_loss.backward()
    nn.utils.clip_grad_norm_(actor.parameters(), 1.0)
    a_opt.step()
    hist.append(torch.stack(R).mean().item())
    if (it + 1) % 100 == 0:
        print(f"{it + 1} actor {a_loss.item():+.3f} critic {c_loss.item():.3f} reward {sum(hist[-50:]) / 50:.3f}")
