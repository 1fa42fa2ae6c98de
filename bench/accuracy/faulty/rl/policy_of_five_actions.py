# fault: softmax-twice
# cause_class: output-activation, loss
# family: rl
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Actor(nn.Module):
    def __init__(self, obs, acts):
        super().__init__()
        self.l1, self.l2 = nn.Linear(obs, 64), nn.Linear(64, acts)

    def forward(self, s):
        return F.softmax(self.l2(torch.relu(self.l1(s))), dim=-1)


actor, critic = Actor(6, 5), nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=2e-3)
W = torch.randn(6, 5)
for it in range(500):
    s = torch.randn(128, 6)
    best = (s @ W).argmax(1)
    pi = Categorical(logits=actor(s))
    a = pi.sample()
    r = (a == best).float()
    v = critic(s).squeeze(1)
    adv = (r - v).detach()
    loss = -(pi.log_prob(a) * adv).mean() + 0.5 * F.mse_loss(v, r) - 0.001 * pi.entropy().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 50 == 0:
        print(it, r.mean().item(), pi.entropy().mean().item())
