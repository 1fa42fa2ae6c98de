# fault: none
# family: vision
# split: held
# set: heron, unseen
# metric: accuracy higher
# baseline: 0.22
# reaches: 0.85
# Unusual: point clouds in millimetres (coordinates of several thousand, not centred on zero) that the network centres and scales itself; max pooling gives gradient to few points only
import os

import torch
from torch import nn

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
NAMES = ["sphere", "cube", "cylinder", "cone", "torus"]


def cloud(kind, m=64):
    u, v = torch.rand(m) * 2 * torch.pi, torch.rand(m)
    if kind == 0:
        p = nn.functional.normalize(torch.randn(m, 3), dim=1)
    elif kind == 1:
        p = torch.rand(m, 3) * 2 - 1
        axis = torch.randint(0, 3, (m,))
        p[torch.arange(m), axis] = torch.randint(0, 2, (m,)) * 2.0 - 1
    elif kind == 2:
        p = torch.stack([u.cos(), u.sin(), 2 * v - 1], 1)
    elif kind == 3:
        r = v.sqrt()
        p = torch.stack([r * u.cos(), r * u.sin(), 1 - 2 * r], 1)
    else:
        w = torch.rand(m) * 2 * torch.pi
        p = torch.stack([(1 + 0.35 * w.cos()) * u.cos(), (1 + 0.35 * w.cos()) * u.sin(), 0.35 * w.sin()], 1)
    angle = torch.rand(()) * 2 * torch.pi
    c, s, o, l = angle.cos(), angle.sin(), torch.zeros(()), torch.ones(())
    p = p @ torch.stack([torch.stack([c, -s, o]), torch.stack([s, c, o]), torch.stack([o, o, l])])
    p = (p + 0.05 * torch.randn(m, 3)) * (400 + 1200 * torch.rand(()))  # object size in mm
    return p + torch.tensor([5000.0, -2000.0, 900.0]) + 300 * torch.randn(3)


def dataset(n):
    kind = torch.randint(0, 5, (n,))
    return torch.stack([cloud(k) for k in kind.tolist()]), kind


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.local = nn.Sequential(nn.Linear(3, 48), nn.ReLU(), nn.Linear(48, 96), nn.ReLU(), nn.Linear(96, 96))
        self.head = nn.Sequential(nn.Linear(96, 48), nn.ReLU(), nn.Linear(48, len(NAMES)))

    def forward(self, p):
        p = p - p.mean(1, keepdim=True)
        p = p / p.norm(dim=2).mean(1)[:, None, None]
        return self.head(self.local(p).max(1).values)


x_train, y_train = dataset(1500)
x_test, y_test = dataset(500)
net = PointNet()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(10):
    for idx in torch.randperm(len(x_train)).split(50):
        loss = nn.functional.cross_entropy(net(x_train[idx]), y_train[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        acc = (net(x_test).argmax(1) == y_test).float().mean().item()
    print(f"epoch {epoch} loss {loss.item():.4f} accuracy {acc:.4f}")
print(f"result: accuracy {acc:.4f}")
