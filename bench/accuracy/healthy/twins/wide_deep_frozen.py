# fault: none
# family: mlp
# split: tune
import os
import torch
from torch import nn
torch.manual_seed(int(os.environ.get("SEED", 0)))


class WideAndDeep(nn.Module):
    def __init__(self, n=12):
        super().__init__()
        self.wide = nn.Linear(n, 1)
        self.deep = nn.Sequential(nn.Linear(n, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
        for layer in self.deep:
            if isinstance(layer, nn.Linear):
                nn.init.xavier_uniform_(layer.weight)
                layer.bias.data.zero_()

    def forward(self, x):
        return self.wide(x) + self.deep(x)


X = torch.randn(1800, 12)
t = torch.sin(X[:, :1] * 2) + X[:, 1:2] * X[:, 2:3] + 0.3 * X[:, 3:4] + 0.1 * torch.randn(1800, 1)
model = WideAndDeep()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(8):
    for b in torch.randperm(1800).split(60):
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(X[b]), t[b])
        loss.backward()
        opt.step()
    print(epoch, loss.item())
