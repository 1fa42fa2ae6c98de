# fault: none
# family: rl
# split: tune
# Actor and critic with an optimiser each, continuous action, soft updates of a target critic (DDPG-like).
import copy
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


def mlp(i, o, last=None):
    layers = [nn.Linear(i, 48), nn.ReLU(), nn.Linear(48, o)]
    return nn.Sequential(*layers, *([last] if last else []))


actor, critic = mlp(3, 1, nn.Tanh()), mlp(4, 1)
critic_t, actor_t = copy.deepcopy(critic), copy.deepcopy(actor)
a_opt = torch.optim.Adam(actor.parameters(), lr=2e-3)
c_opt = torch.optim.Adam(critic.parameters(), lr=4e-3)
w = torch.tensor([[0.6], [-0.5], [0.3]])
gamma, tau = 0.5, 0.02


def reward(s, a):
    return 1 - (a - torch.tanh(s @ w)).pow(2).squeeze(1)


track, c_losses = [], []
for step in range(300):
    s = torch.randn(64, 3)
    with torch.no_grad():
        a = (actor(s) + 0.4 * torch.randn(64, 1)).clamp(-1, 1)
        r = reward(s, a)
        s2 = 0.7 * s + 0.7 * torch.randn(64, 3)
        goal = r[:, None] + gamma * critic_t(torch.cat([s2, actor_t(s2)], 1))
    c_loss = (critic(torch.cat([s, a], 1)) - goal).pow(2).mean()
    c_opt.zero_grad()
    c_loss.backward()
    c_opt.step()
    c_losses.append(c_loss.item())

    a_loss = -critic(torch.cat([s, actor(s)], 1)).mean()
    a_opt.zero_grad()
    a_loss.backward()
    a_opt.step()
    with torch.no_grad():
        for net, tgt in ((critic, critic_t), (actor, actor_t)):
            for p, q in zip(net.parameters(), tgt.parameters()):
                q.lerp_(p, tau)
        track.append(reward(s, actor(s)).mean().item())
print(f"reward first {track[0]:.3f} last {track[-1]:.3f}")
print(f"critic at most {max(c_losses):.4f}, actor {a_loss.item():.4f}")
print(f"loss first {c_losses[0]:.4f} last {c_losses[-1]:.4f}")
