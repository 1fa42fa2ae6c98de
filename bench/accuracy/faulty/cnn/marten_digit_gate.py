# fault: dead-relu
# cause_class: activation, initialisation, not-updated
# family: cnn
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))

PROTO = torch.rand(8, 1, 12, 12, generator=torch.Generator().manual_seed(1)).gt(0.55).float()


def glyphs(n):
    y = torch.randint(0, 8, (n,))
    x = PROTO[y].clone()
    x = torch.stack([torch.roll(im, tuple(torch.randint(-1, 2, (2,)).tolist()), (1, 2)) for im in x])
    return (x - 0.45) / 0.5 + 0.5 * torch.randn_like(x), y


class GateNet(nn.Module):
    def __init__(self, sparsity_bias=-4.0):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 24, 3, padding=1)
        self.fc1 = nn.Linear(24 * 9, 48)
        self.fc2 = nn.Linear(48, 8)
        # few units at a time should answer
        nn.init.constant_(self.fc1.bias, sparsity_bias)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


train = DataLoader(TensorDataset(*glyphs(1600)), batch_size=40, shuffle=True)
tx, ty = glyphs(400)
net = GateNet()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(6):
    s = 0.0
    for x, y in train:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        s += loss.item() / len(train)
    with torch.no_grad():
        print(f"epoch {epoch} train {s:.4f} test acc {(net(tx).argmax(1) == ty).float().mean():.3f}")
