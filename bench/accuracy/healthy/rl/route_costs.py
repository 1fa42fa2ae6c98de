# fault: none
# family: rl
# split: tune
"""Which of five routes a van takes, learnt from what each turned out to cost."""
import os
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(int(os.environ.get("SEED", 0)))
ROADS = torch.randn(6, 5)
chooser = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 5))
opt = torch.optim.Adam(chooser.parameters(), lr=3e-3)
baseline = 0.5
for it in range(500):
    traffic = torch.randn(64, 6)
    dist = Categorical(logits=chooser(traffic))
    route = dist.sample()
    cost = torch.sigmoid(traffic @ ROADS).gather(1, route[:, None]).squeeze(1)
    advantage = cost - baseline
    baseline = 0.95 * baseline + 0.05 * cost.mean().item()
    loss = (advantage * dist.log_prob(route)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 100 == 99:
        print(f"{it + 1} cost {cost.mean():.3f}")
