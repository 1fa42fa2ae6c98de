# fault: none
# family: regression
# split: held
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
X = torch.randn(2400, 6)
y = 1.5 * X[:, 0] + X[:, 1] ** 2 - X[:, 2] * X[:, 3] + 0.1 * torch.randn(2400) - 1.0


class Net(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.fc1 = nn.Linear(6, width)
        self.fc2 = nn.Linear(width, width)
        self.fc3 = nn.Linear(width, width)
        self.fc4 = nn.Linear(width, 1)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        x = F.relu(self.fc3(x))
        return self.fc4(x).squeeze(1)


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.005, momentum=0.9)
for epoch in range(15):
    total = 0.0
    for b in torch.randperm(2000).split(40):
        loss = F.mse_loss(net(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 10.0)
        opt.step()
        total += loss.item() / 50
    with torch.no_grad():
        p = net(X[2000:])
        print(f"epoch {epoch:2d} train {total:.4f} val {F.mse_loss(p, y[2000:]).item():.4f} std of predictions {p.std().item():.4f}")
