# fault: overfit
# cause_class: overfit
# family: cnn
# split: tune
# twin: healthy/twins/overfit_late.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset, DataLoader
torch.manual_seed(int(os.environ.get("SEED", 0)))

pat = torch.randn(4, 1, 8, 8) * 0.35


def make(n):
    y = torch.randint(4, (n,))
    return TensorDataset(pat[y] + torch.randn(n, 1, 8, 8), y)


N = 120
train_loader = DataLoader(make(N), batch_size=24, shuffle=True)
val_loader = DataLoader(make(400), batch_size=400)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 16, 3, padding=1)
        self.fc1 = nn.Linear(1024, 64)
        self.fc2 = nn.Linear(64, 4)

    def forward(self, x):
        x = F.relu(self.conv2(F.relu(self.conv1(x))))
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(50):
    net.train()
    for x, y in train_loader:
        loss = F.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        for x, y in val_loader:
            out = net(x)
            v = F.cross_entropy(out, y)
    print("epoch", epoch, "train", round(loss.item(), 4), "val", round(v.item(), 4))
