# fault: none
# family: rl
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Grid:
    """32 walkers side by side on 5x5 boards; the goal differs from walker to walker"""

    def __init__(self, n=32, size=5):
        self.n, self.size = n, size
        self.pos = torch.randint(0, size, (n, 2))
        self.goal = torch.randint(0, size, (n, 2))
        self.moves = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])

    def obs(self):
        d = (self.goal - self.pos).float() / self.size
        return torch.cat([d, self.pos.float() / self.size - 0.4], 1)

    def step(self, a):
        self.pos = (self.pos + self.moves[a]).clamp(0, self.size - 1)
        done = (self.pos == self.goal).all(1)
        reward = torch.where(done, 1.0, -0.05)
        k = int(done.sum())
        if k:
            self.pos[done] = torch.randint(0, self.size, (k, 2))
            self.goal[done] = torch.randint(0, self.size, (k, 2))
        return reward, done


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.pi, self.v = nn.Linear(64, 4), nn.Linear(64, 1)

    def forward(self, s):
        h = self.body(s)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(1)


env, net = Grid(), ActorCritic()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
gamma, horizon = 0.95, 8
for update in range(300):
    logps, values, rewards, dones, ents = [], [], [], [], []
    for _ in range(horizon):
        dist, v = net(env.obs())
        a = dist.sample()
        r, d = env.step(a)
        logps.append(dist.log_prob(a))
        values.append(v)
        rewards.append(r)
        dones.append(d.float())
        ents.append(dist.entropy())
    with torch.no_grad():
        ret = net(env.obs())[1]
    returns = []
    for r, d in zip(reversed(rewards), reversed(dones)):
        ret = r + gamma * ret * (1 - d)
        returns.insert(0, ret)
    returns, values = torch.stack(returns), torch.stack(values)
    adv = (returns - values).detach()
    policy_loss = -(torch.stack(logps) * adv).mean()
    value_loss = F.mse_loss(values, returns)
    loss = policy_loss + 0.5 * value_loss - 0.01 * torch.stack(ents).mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
    if update % 30 == 0 or update == 299:
        print(f"update {update} loss {loss.item():+.4f} mean reward {torch.stack(rewards).mean():+.3f}")
