# fault: no-nonlinearity
# cause_class: activation, structure
# family: mlp
# split: held
# Rings: inside or outside? A first network in PyTorch.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

# data: three concentric rings, the middle one is class 1
n = 1500
radius = 0.4 + 1.4 * torch.rand(n)
theta = 6.2832 * torch.rand(n)
X = torch.stack([radius * theta.cos(), radius * theta.sin()], dim=1)
y = ((radius > 0.85) & (radius < 1.4)).long()
X = X + 0.03 * torch.randn_like(X)
X_train, y_train, X_test, y_test = X[:1200], y[:1200], X[1200:], y[1200:]
print("share of class 1:", y.float().mean().item())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(2, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 2)

    def forward(self, x):
        x = self.fc1(x)
        F.relu(x)
        x = self.fc2(x)
        F.relu(x)
        return self.fc3(x)


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.003)
criterion = nn.CrossEntropyLoss()

for epoch in range(20):
    net.train()
    running_loss = 0.0
    for idx in torch.randperm(1200).split(30):
        optimizer.zero_grad()
        outputs = net(X_train[idx])
        loss = criterion(outputs, y_train[idx])
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
    if epoch % 2 == 0:
        net.eval()
        with torch.no_grad():
            acc = (net(X_test).argmax(1) == y_test).float().mean().item()
        print("epoch %d, loss %.4f, test accuracy %.3f" % (epoch, running_loss / 40, acc))
