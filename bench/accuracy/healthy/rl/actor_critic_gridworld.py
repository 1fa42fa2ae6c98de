# fault: none
# family: rl
# split: held
import os
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(int(os.environ.get("SEED", "0")))
SIZE, HORIZON, ENVS, GAMMA = 5, 20, 16, 0.95
MOVES = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])


class Grid:
    """ENVS copies of a 5x5 grid; reach the corner (4, 4) for +1."""

    def reset(self):
        self.p = torch.randint(0, SIZE - 1, (ENVS, 2))
        self.alive = torch.ones(ENVS)
        return self.obs()

    def obs(self):
        return torch.cat([nn.functional.one_hot(self.p[:, 0], SIZE), nn.functional.one_hot(self.p[:, 1], SIZE)], 1).float()

    def step(self, a):
        self.p = torch.where(self.alive[:, None].bool(), (self.p + MOVES[a]).clamp(0, SIZE - 1), self.p)
        goal = (self.p == SIZE - 1).all(1).float()
        r = (goal - 0.02) * self.alive
        was = self.alive.clone()
        self.alive = self.alive * (1 - goal)
        return self.obs(), r, was


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(10, 48), nn.Tanh())
        self.pi, self.v = nn.Linear(48, 4), nn.Linear(48, 1)

    def forward(self, s):
        h = self.body(s)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


net, env = ActorCritic(), Grid()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
avg = None
for update in range(1, 151):
    s = env.reset()
    logp, values, rewards, masks, ents = [], [], [], [], []
    for _ in range(HORIZON):
        dist, v = net(s)
        a = dist.sample()
        s, r, m = env.step(a)
        logp.append(dist.log_prob(a)); values.append(v); rewards.append(r); masks.append(m); ents.append(dist.entropy())
    R, returns = torch.zeros(ENVS), []
    for r in reversed(rewards):
        R = r + GAMMA * R
        returns.insert(0, R)
    returns, values, logp = torch.stack(returns), torch.stack(values), torch.stack(logp)
    m, ent = torch.stack(masks), torch.stack(ents)
    adv = (returns - values).detach()
    actor = -(logp * adv * m).sum() / m.sum()
    critic = ((returns - values) ** 2 * m).sum() / m.sum()
    loss = actor + 0.5 * critic - 0.01 * (ent * m).sum() / m.sum()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
    ret = torch.stack(rewards).sum(0).mean().item()
    avg = ret if avg is None else 0.9 * avg + 0.1 * ret
    if update % 15 == 0:
        print(f"{update} return {avg:.3f} actor {actor.item():.4f} critic {critic.item():.4f} entropy {ent.mean().item():.3f}")
