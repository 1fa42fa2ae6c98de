# fault: none
# family: cnn
# split: tune
# A small CNN with BatchNorm, OneCycleLR, Conv bias=False.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))


def digits(n):
    """Bars at five angles, moved about, with noise."""
    yy, xx = torch.meshgrid(torch.linspace(-1, 1, 12), torch.linspace(-1, 1, 12), indexing="ij")
    y = torch.randint(0, 5, (n,))
    a = y.float() * 3.1416 / 5
    off = 0.3 * torch.randn(n)
    d = xx[None] * a.sin()[:, None, None] - yy[None] * a.cos()[:, None, None] - off[:, None, None]
    img = torch.exp(-(d**2) / 0.03) + 0.3 * torch.randn(n, 12, 12)
    return ((img - img.mean()) / img.std()).unsqueeze(1), y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(16)
        self.fc = nn.Linear(16, 5)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.relu(self.bn2(self.conv2(x)))
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


train = DataLoader(TensorDataset(*digits(1600)), batch_size=32, shuffle=True)
tx, ty = digits(200)
model = Net()
opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=5e-4)
epochs = 4
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.3, steps_per_epoch=len(train), epochs=epochs)
curve = []
for epoch in range(epochs):
    model.train()
    for x, y in train:
        opt.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
        sched.step()
        curve.append(loss.item())
    model.eval()
    with torch.no_grad():
        print("val accuracy", (model(tx).argmax(1) == ty).float().mean().item())
print(f"loss first {curve[0]:.4f} last {curve[-1]:.4f}")
