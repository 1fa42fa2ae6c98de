# fault: loss-misused
# cause_class: loss
# family: rl
# split: tune
"""REINFORCE with a running baseline on a contextual bandit with eight arms."""
import os
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(int(os.environ.get("SEED", 0)))
CTX, ARMS = 6, 8
world = torch.randn(CTX, ARMS)


def pull(context, arm):
    quality = context @ world
    best = quality.argmax(1)
    return (arm == best).float() + 0.1 * torch.randn(len(arm))


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = nn.Sequential(nn.Linear(CTX, 48), nn.Tanh(), nn.Linear(48, ARMS))
        self.baseline = 0.0

    def act(self, context):
        dist = Categorical(logits=self.policy(context))
        arm = dist.sample()
        return arm, dist.log_prob(arm), dist.entropy()


agent = Agent()
opt = torch.optim.Adam(agent.parameters(), lr=3e-3)
for it in range(600):
    context = torch.randn(64, CTX)
    arm, logp, entropy = agent.act(context)
    reward = pull(context, arm)
    advantage = reward - agent.baseline
    agent.baseline = 0.95 * agent.baseline + 0.05 * reward.mean().item()
    loss = (logp * advantage).mean() - 0.01 * entropy.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 100 == 99:
        with torch.no_grad():
            c = torch.randn(500, CTX)
            greedy = agent.policy(c).argmax(1)
            hit = (greedy == (c @ world).argmax(1)).float().mean()
        print(f"iter {it + 1} loss {loss.item():+.3f} reward {reward.mean():.3f} greedy hit rate {hit:.3f}")
