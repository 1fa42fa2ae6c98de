# fault: broadcast-targets
# cause_class: labels, loss
# family: regression
# split: tune
import os, torch
from torch import nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh())
        self.loc, self.scale = nn.Linear(48, 1), nn.Linear(48, 1)

    def forward(self, x):
        h = self.net(x)
        return torch.distributions.Normal(self.loc(h), nn.functional.softplus(self.scale(h)) + 1e-3)

w = torch.randn(8)
X = torch.randn(2000, 8)
Y = torch.tanh(X @ w) + 0.1 * torch.randn(2000)
net = Head()
opt = torch.optim.Adam(net.parameters(), 2e-3)
for epoch in range(12):
    for i in torch.randperm(2000).split(50):
        loss = -net(X[i]).log_prob(Y[i]).mean()
        opt.zero_grad(); loss.backward(); opt.step()
    print(epoch, loss.item())
