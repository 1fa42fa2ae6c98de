# fault: none
# family: rl
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Corridors:
    """Many walkers side by side; the goal is at +1, the walker sees where it is and a drift that it must correct."""

    def __init__(self, n):
        self.n = n
        self.reset()

    def reset(self):
        self.p = torch.rand(self.n) * 2 - 1
        self.d = torch.randint(0, 2, (self.n,)).float() * 2 - 1
        return self.obs()

    def obs(self):
        return torch.stack([self.p, self.d], 1)

    def step(self, a):
        self.p = (self.p + 0.2 * (a.float() - 1) + 0.05 * self.d).clamp(-2, 2)
        return self.obs(), -(self.p - 1).abs()


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(2, 64), nn.Tanh())
        self.pi, self.v = nn.Linear(64, 3), nn.Linear(64, 1)

    def forward(self, o):
        h = self.trunk(o)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


env, net = Corridors(32), ActorCritic()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
GAMMA, HORIZON = 0.9, 10
for update in range(250):
    o = env.reset()
    logp, values, rewards, ents = [], [], [], []
    for _ in range(HORIZON):
        dist, v = net(o)
        a = dist.sample()
        o, r = env.step(a)
        logp.append(dist.log_prob(a))
        values.append(v)
        rewards.append(r)
        ents.append(dist.entropy())
    with torch.no_grad():
        ret = net(o)[1]
    returns = []
    for r in reversed(rewards):
        ret = r + GAMMA * ret
        returns.append(ret)
    R, V = torch.stack(returns[::-1]), torch.stack(values)
    adv = (R - V).detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    policy = -(torch.stack(logp) * adv).mean()
    value = nn.functional.mse_loss(V, R)
    loss = policy + 0.5 * value - 0.01 * torch.stack(ents).mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
    if update % 50 == 49:
        print(f"update {update + 1} reward {torch.stack(rewards).mean():.3f} policy {policy.item():.3f} value {value.item():.3f}")
