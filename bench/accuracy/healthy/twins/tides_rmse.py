# fault: none
# family: regression
# split: tune
"""Height of the tide from moon and wind, root mean squared error."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.randn(1000, 5)
height = (2 * x[:, 0] + torch.cos(x[:, 1])).unsqueeze(1)


class Tide(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Linear(5, 32), nn.Linear(32, 1)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x))).squeeze()


def rmse(a, b):
    return torch.sqrt(((a - b) ** 2).mean())


model = Tide()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(10):
    for i in torch.randperm(1000).split(50):
        loss = rmse(model(x[i]), height[i].squeeze(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
