# fault: none
# family: mlp
# split: tune
import os
import math
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

r = torch.rand(1500) * 2 + 0.3
c = torch.randint(0, 2, (1500,))
th = r * 2.2 + c * math.pi
pts = torch.stack([r * th.cos(), r * th.sin()], 1) + 0.04 * torch.randn(1500, 2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(2, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 2)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = torch.relu(self.fc2(x))
        return self.fc3(x)


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
ce = nn.CrossEntropyLoss()
for ep in range(10):
    for b in torch.randperm(1500).split(50):
        opt.zero_grad()
        loss = ce(net(pts[b]), c[b])
        loss.backward()
        opt.step()
    print(f"ep {ep} loss {loss.item():.4f}")
