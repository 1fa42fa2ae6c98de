# fault: none
# family: rl
# split: held
"""Advantage actor-critic on a batch of windy corridor walks."""
import os

import torch
from torch import nn
import torch.nn.functional as F


class Corridor:
    """Reach x = 1 from about 0; wind pushes back; an episode lasts at most 24 moves."""

    def __init__(self, envs):
        self.n = envs
        self.x, self.t = torch.zeros(envs), torch.zeros(envs)
        self.reset(torch.ones(envs, dtype=torch.bool))

    def reset(self, mask):
        self.x = torch.where(mask, 0.4 * torch.rand(self.n) - 0.2, self.x)
        self.t = torch.where(mask, torch.zeros(self.n), self.t)
        self.wind = torch.where(mask, (torch.rand(self.n) < 0.5).float() * 2 - 1, getattr(self, "wind", torch.ones(self.n)))

    def obs(self):
        return torch.stack([self.x, self.wind, self.t / 12 - 1], 1)

    def step(self, action):
        move = (action - 1).float() * self.wind  # the wind flips the controls
        self.x = (self.x + 0.12 * move + 0.02 * torch.randn(self.n)).clamp(-1, 1.2)
        self.t = self.t + 1
        goal = self.x >= 1.0
        done = goal | (self.t >= 24)
        reward = goal.float() - 0.02
        self.reset(done)
        return reward, done, goal


class ActorCritic(nn.Module):
    def __init__(self, h=48):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(3, h), nn.Tanh(), nn.Linear(h, 3))
        self.v = nn.Sequential(nn.Linear(3, h), nn.Tanh(), nn.Linear(h, 1))
        nn.init.normal_(self.pi[-1].weight, std=0.01)

    def forward(self, o):
        return torch.distributions.Categorical(logits=self.pi(o)), self.v(o).squeeze(-1)


def rollout(env, net, horizon):
    logp, val, ent, rew, end, goals = [], [], [], [], [], 0
    for _ in range(horizon):
        dist, v = net(env.obs())
        a = dist.sample()
        r, d, g = env.step(a)
        logp.append(dist.log_prob(a)); val.append(v); ent.append(dist.entropy()); rew.append(r); end.append(d)
        goals += g.sum().item()
    with torch.no_grad():
        nxt = net(env.obs())[1]
    return [torch.stack(z) for z in (logp, val, ent, rew, end)], nxt, goals


def returns(rew, end, nxt, gamma):
    out = torch.empty_like(rew)
    for t in reversed(range(len(rew))):
        nxt = rew[t] + gamma * nxt * (~end[t])
        out[t] = nxt
    return out


def main(updates=160, horizon=10, gamma=0.97):
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    env, net = Corridor(32), ActorCritic()
    opt = torch.optim.Adam([{"params": net.pi.parameters(), "lr": 3e-3}, {"params": net.v.parameters(), "lr": 6e-3}])
    done = goal = 0
    for u in range(1, updates + 1):
        (logp, val, ent, rew, end), nxt, g = rollout(env, net, horizon)
        ret = returns(rew, end, nxt, gamma)
        adv = (ret - val).detach()
        adv = (adv - adv.mean()) / (adv.std() + 1e-6)
        critic = F.mse_loss(val, ret)
        loss = -(logp * adv).mean() + 0.5 * critic - 0.01 * ent.mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        opt.step()
        done, goal = done + end.sum().item(), goal + g
        if u % 20 == 0:
            print(f"{u:4d} loss {loss.item():+.4f} critic {critic.item():.4f} entropy {ent.mean():.3f} success {goal / max(done, 1):.3f} reward/step {rew.mean():+.4f}")
            done = goal = 0


main()
