# fault: no-gradient
# cause_class: not-updated, structure, loss
# family: rl
# split: held
import os
from dataclasses import dataclass

import torch
from torch import nn
from torch.distributions import Categorical


@dataclass
class A2CConfig:
    envs: int = 32
    horizon: int = 8
    updates: int = 250
    gamma: float = 0.9
    lr: float = 3e-3
    value_coef: float = 0.5


class Warehouse:
    """Stock of one article; demand follows a slow seasonal phase. Order 0..4 units a day."""

    def __init__(self, n):
        self.n = n
        self.stock = torch.full((n,), 4.0)
        self.phase = torch.rand(n) * 6.28

    def obs(self):
        return torch.stack([self.stock / 5 - 1, self.phase.sin(), self.phase.cos()], 1)

    def step(self, order):
        self.phase = self.phase + 0.4
        demand = torch.poisson(2 + 1.5 * self.phase.sin())
        self.stock = (self.stock + order.float()).clamp(max=12)
        sold = torch.minimum(self.stock, demand)
        missed = demand - sold
        self.stock = self.stock - sold
        return (sold - 0.3 * self.stock - missed) / 3


def net(out):
    return nn.Sequential(nn.Linear(3, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, out))


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor, self.critic = net(5), net(1)

    @torch.no_grad()
    def act(self, obs):
        dist = Categorical(logits=self.actor(obs))
        action = dist.sample()
        return action, dist.log_prob(action)


def collect(env, agent, cfg):
    roll = {k: [] for k in ("obs", "logp", "reward")}
    for _ in range(cfg.horizon):
        obs = env.obs()
        action, logp = agent.act(obs)
        reward = env.step(action)
        for k, v in zip(roll, (obs, logp, reward)):
            roll[k].append(v)
    return {k: torch.stack(v) for k, v in roll.items()}, env.obs()


def returns(reward, last_value, gamma):
    out, acc = [], last_value
    for r in reward.flip(0):
        acc = r + gamma * acc
        out.append(acc)
    return torch.stack(out[::-1])


def main():
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    cfg, agent = A2CConfig(), Agent()
    env = Warehouse(cfg.envs)
    opt = torch.optim.Adam(agent.parameters(), lr=cfg.lr)
    mean_reward = []
    for it in range(cfg.updates):
        roll, last = collect(env, agent, cfg)
        with torch.no_grad():
            ret = returns(roll["reward"], agent.critic(last)[:, 0], cfg.gamma)
        value = agent.critic(roll["obs"])[..., 0]
        adv = (ret - value).detach()
        adv = (adv - adv.mean()) / (adv.std() + 1e-6)
        policy_loss = -(roll["logp"] * adv).mean()
        loss = policy_loss + cfg.value_coef * (ret - value).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 1.0)
        opt.step()
        mean_reward.append(roll["reward"].mean().item())
        if it % 25 == 24:
            print(f"{it + 1:4d} loss {loss.item():.3f} reward {sum(mean_reward[-25:]) / 25:.3f}")


main()
