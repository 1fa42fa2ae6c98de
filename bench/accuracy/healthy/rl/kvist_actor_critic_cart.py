# fault: none
# family: rl
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Sliders:
    """A bunch of carts on rails that are to be kept near the middle; three thrusts."""

    def __init__(self, n):
        self.n = n
        self.reset()

    def reset(self):
        self.x = torch.randn(self.n)
        self.v = 0.3 * torch.randn(self.n)

    def obs(self):
        return torch.stack([self.x, self.v], 1)

    def step(self, a):
        self.v = 0.95 * self.v + 0.25 * (a.float() - 1)
        self.x = (self.x + 0.2 * self.v).clamp(-3, 3)
        return -self.x.abs() * 0.5


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 3))
        self.v = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, o):
        return torch.distributions.Categorical(logits=self.pi(o)), self.v(o).squeeze(-1)


ac, env, gamma = ActorCritic(), Sliders(32), 0.9
opt = torch.optim.Adam(ac.parameters(), lr=4e-3)
score = []
for it in range(1, 301):
    if it % 6 == 1:
        env.reset()
    logp, vals, rews, ents = [], [], [], []
    for _ in range(8):
        d, v = ac(env.obs())
        a = d.sample()
        rews.append(env.step(a))
        logp.append(d.log_prob(a)); vals.append(v); ents.append(d.entropy())
    with torch.no_grad():
        R = ac(env.obs())[1]
    rets = []
    for r in reversed(rews):
        R = r + gamma * R
        rets.insert(0, R)
    rets, vals = torch.stack(rets), torch.stack(vals)
    adv = (rets - vals).detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    pg = -(torch.stack(logp) * adv).mean()
    loss = pg + 0.5 * (rets - vals).pow(2).mean() - 0.01 * torch.stack(ents).mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(ac.parameters(), 0.5)
    opt.step()
    score.append(torch.stack(rews).mean().item())
    if it % 50 == 0:
        print(f"{it} loss {loss.item():.4f} pg {pg.item():.4f} reward {sum(score[-48:]) / len(score[-48:]):.4f}")
