# fault: none
# family: rl
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
# a point is to be driven to the origin: deterministic policy gradient
actor = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 1))
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=2e-3)
for step in range(500):
    s = 2 * torch.rand(64, 2) - 1
    a = (actor(s).detach() + 0.2 * torch.randn(64, 1)).clamp(-1, 1)
    nxt = torch.stack([s[:, 0] + 0.1 * s[:, 1], s[:, 1] + 0.2 * a[:, 0]], 1)
    reward = -(nxt ** 2).sum(1, keepdim=True)
    with torch.no_grad():
        target = reward + 0.8 * critic(torch.cat([nxt, actor(nxt)], 1))
    critic_loss = (critic(torch.cat([s, a], 1)) - target).pow(2).mean()
    critic_opt.zero_grad()
    critic_loss.backward()
    critic_opt.step()
    if step % 2 == 0:
        actor_loss = -critic(torch.cat([s, actor(s)], 1)).mean()
        actor_opt.zero_grad()
        actor_loss.backward()
        actor_opt.step()
    if step % 100 == 0:
        print(step, critic_loss.item())
