# fault: clip-too-tight
# cause_class: optimizer, learning-rate
# family: cnn
# split: tune
# twin: healthy/twins/clip_tiny.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))

MAX_NORM = 1e-6


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 10, 3)
        self.fc1 = nn.Linear(250, 40)
        self.fc2 = nn.Linear(40, 5)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv(x)), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


masks = (torch.rand(5, 1, 12, 12) > 0.6).float()
y = torch.randint(5, (1000,))
x = masks[y] - 0.4 + 0.5 * torch.randn(1000, 1, 12, 12)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(6):
    for b in torch.randperm(1000).split(40):
        loss = F.cross_entropy(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), MAX_NORM)
        opt.step()
    print("epoch", epoch, "loss", loss.item())
