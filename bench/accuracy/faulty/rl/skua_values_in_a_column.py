# fault: broadcast-targets
# cause_class: labels, loss
# family: rl
# split: tune
import os, torch
from torch import nn
torch.manual_seed(int(os.environ.get("SEED", 0)))
g = torch.Generator().manual_seed(1)
GOAL = torch.tensor([0.6, -0.3])

class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.pi = nn.Linear(64, 5)
        self.v = nn.Linear(64, 1)

    def forward(self, s):
        h = self.body(s)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h)

MOVES = torch.tensor([[0., 0.], [.1, 0], [-.1, 0], [0, .1], [0, -.1]])
net = ActorCritic()
opt = torch.optim.Adam(net.parameters(), 3e-3)
for update in range(250):
    pos = torch.rand(32, 2) * 2 - 1
    states, actions, rewards = [], [], []
    for t in range(8):
        s = torch.cat([pos, GOAL - pos], 1)
        with torch.no_grad():
            dist, _ = net(s)
            a = dist.sample()
        pos = pos + MOVES[a]
        states.append(s); actions.append(a); rewards.append(-(pos - GOAL).norm(dim=1))
    R, returns = torch.zeros(32), []
    for r in reversed(rewards):
        R = r + 0.9 * R
        returns.insert(0, R)
    s, a, ret = torch.cat(states), torch.cat(actions), torch.cat(returns)
    ret = (ret - ret.mean()) / ret.std()
    dist, value = net(s)
    adv = (ret - value.detach().flatten())
    loss = -(dist.log_prob(a) * adv).mean() + 0.5 * (ret - value).pow(2).mean() - 0.01 * dist.entropy().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    if update % 50 == 49:
        print(update, torch.stack(rewards).mean().item())
