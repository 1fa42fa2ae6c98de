# fault: none
# family: mlp
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))


class SetNet(nn.Module):
    """Classify bags of 6 measurements (N, 6, 5)."""

    def __init__(self):
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
        self.rho = nn.Linear(32, 3)

    def forward(self, bags):
        h = self.phi(bags)
        h = h.mean(dim=1)
        return self.rho(h)


mu = torch.randn(3, 5)
y = torch.randint(0, 3, (1500,))
bags = mu[y][:, None] + 1.2 * torch.randn(1500, 6, 5)
net = SetNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(5):
    for i in torch.randperm(1500).split(50):
        loss = F.cross_entropy(net(bags[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, "loss", loss.item())
