# fault: none
# family: cnn
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))
palette = torch.randint(0, 256, (5, 3, 4, 4)).float()


class Photos(Dataset):
    """uint8 pictures, as a camera gives them"""

    def __init__(self, n):
        self.y = torch.randint(0, 5, (n,))
        big = F.interpolate(palette[self.y], size=16)
        self.x = (big * 0.6 + 50 + 45 * torch.randn(n, 3, 16, 16)).clamp(0, 255).to(torch.uint8)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return (self.x[i].float() / 255 - 0.45) / 0.25, self.y[i]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3)
        self.conv2 = nn.Conv2d(8, 16, 3)
        self.fc1 = nn.Linear(16 * 5 * 5, 32)
        self.fc2 = nn.Linear(32, 5)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x[:, :, :5, :5].flatten(1)
        return self.fc2(F.relu(self.fc1(x)))


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
train_loader = DataLoader(Photos(960), batch_size=32, shuffle=True)
for epoch in range(4):
    for x, y in train_loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
    print("epoch", epoch, "loss", loss.item())
