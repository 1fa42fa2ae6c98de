# fault: none
# family: regression
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 50)
        self.b = nn.Linear(50, 50)
        self.c = nn.Linear(50, 2)

    def forward(self, x):
        x = F.elu(self.a(x))
        x = F.elu(self.b(x))
        return self.c(x)


# two offsets from the course, left is negative
x = torch.randn(1400, 6)
t = torch.stack([x[:, 0] * x[:, 1] + 0.5 * x[:, 2], torch.sin(2 * x[:, 3]) - 0.3 * x[:, 4]], 1)
net = Net()
opt = torch.optim.RMSprop(net.parameters(), lr=2e-3)
for epoch in range(8):
    for b in torch.randperm(1400).split(50):
        loss = F.l1_loss(net(x[b]), t[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch", epoch, loss.item())
