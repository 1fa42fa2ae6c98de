# fault: loss-misused
# cause_class: loss
# family: rl
# split: held
# REINFORCE with baseline, 2-D point mass must park at a goal. vectorised env, everything in torch
import os
import torch, torch.nn as nn
from torch.distributions import Normal

torch.manual_seed(int(os.environ.get('SEED', 0)))
ENVS, HORIZON, ITERS = 64, 10, 100
GAMMA = 0.9


class Env:
    def reset(self):
        self.x = torch.rand(ENVS, 2) * 2 - 1
        self.v = torch.zeros(ENVS, 2)
        self.g = torch.rand(ENVS, 2) * 2 - 1
        return self.obs()

    def obs(self):
        return torch.cat([self.g - self.x, self.v], 1)

    def step(self, a):
        a = a.clamp(-1, 1)
        self.v = 0.5 * self.v + 0.4 * a
        self.x = self.x + self.v
        r = -(self.x - self.g).norm(dim=1) - 0.01 * a.pow(2).sum(1)
        return self.obs(), r


actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
log_std = nn.Parameter(torch.full((2,), -0.5))
critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
opt_pi = torch.optim.Adam(list(actor.parameters()) + [log_std], lr=5e-3)
opt_v = torch.optim.Adam(critic.parameters(), lr=1e-2)
env = Env()

for it in range(ITERS):
    obs, logps, rews, ents, seen = env.reset(), [], [], [], []
    for _ in range(HORIZON):
        dist = Normal(actor(obs), log_std.clamp(-2, 0.5).exp())
        a = dist.sample()
        logps.append(dist.log_prob(a).sum(1))
        ents.append(dist.entropy().sum(1))
        seen.append(obs)
        obs, r = env.step(a)
        rews.append(r)
    G, rets = torch.zeros(ENVS), []
    for r in reversed(rews):
        G = r + GAMMA * G
        rets.insert(0, G)
    rets = torch.stack(rets)                       # (T, ENVS)
    logp, ent = torch.stack(logps), torch.stack(ents)
    v = critic(torch.stack(seen)).squeeze(-1)
    adv = (rets - v).detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)

    pi_loss = (adv * logp).mean() - 0.002 * ent.mean()
    opt_pi.zero_grad()
    pi_loss.backward()
    nn.utils.clip_grad_norm_(actor.parameters(), 1.0)
    opt_pi.step()

    v_loss = (v - rets).pow(2).mean()
    opt_v.zero_grad()
    v_loss.backward()
    opt_v.step()
    if it % 20 == 0 or it == ITERS - 1:
        print('it %3d  return %7.2f  pi %.3f  v %.3f  std %.2f' % (
            it, torch.stack(rews).sum(0).mean(), pi_loss.item(), v_loss.item(), log_std.exp().mean().item()))
