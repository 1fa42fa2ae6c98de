# fault: loss-misused
# cause_class: loss, labels
# family: rl
# split: tune
"""PPO with a value head's baseline on a contextual bandit."""
import os
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(int(os.environ.get("SEED", 0)))
WORLD = torch.randn(6, 4)
policy = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 4))
value = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=1e-3)


def rollout(n=256):
    s = torch.randn(n, 6)
    with torch.no_grad():
        dist = Categorical(logits=policy(s))
        a = dist.sample()
        old = dist.log_prob(a)
    reward = (s @ WORLD).gather(1, a[:, None]).squeeze(1)
    return s, a, old, reward


for it in range(40):
    s, a, old, reward = rollout()
    adv = reward - value(s).squeeze(1).detach()
    adv = (adv - adv.mean()) / adv.std()
    for _ in range(4):
        for b in torch.randperm(256).split(64):
            dist = Categorical(logits=policy(s[b]))
            ratio = (dist.log_prob(a[b]) - old[b]).exp()
            policy_loss = torch.min(ratio * adv[b], ratio.clamp(0.8, 1.2) * adv[b]).mean()
            value_loss = (value(s[b]).squeeze(1) - reward[b]).pow(2).mean()
            loss = policy_loss + 0.5 * value_loss - 0.01 * dist.entropy().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
    if it % 8 == 7:
        print(f"{it + 1} reward {reward.mean():.3f} policy {policy_loss.item():.4f} value {value_loss.item():.4f}")
