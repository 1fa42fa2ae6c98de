# fault: none
# family: mlp
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))


class Net(nn.Module):
    def __init__(self, p=0.05):
        super().__init__()
        self.fc1 = nn.Linear(10, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 3)
        self.p = nn.Dropout(p)

    def forward(self, x):
        x = self.p(F.relu(self.fc1(x)))
        x = self.p(F.relu(self.fc2(x)))
        return self.fc3(x)


x = torch.randn(1600, 10)
y = (x[:, 0] + x[:, 1] ** 2 - 1 > 0).long() + (x[:, 2] > 0.5).long()
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(8):
    net.train()
    for i in range(0, 1400, 40):
        loss = F.cross_entropy(net(x[i:i + 40]), y[i:i + 40])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        print(epoch, loss.item(), (net(x[1400:]).argmax(1) == y[1400:]).float().mean().item())
