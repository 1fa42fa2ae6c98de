# fault: loss-misused
# cause_class: loss, output-activation
# family: distillation
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
CLASSES = 6


def spirals(n):
    y = torch.randint(CLASSES, (n,))
    r = torch.rand(n) * 0.9 + 0.1
    a = 3.0 * r + y * 2 * torch.pi / CLASSES + 0.12 * torch.randn(n)
    return torch.stack([r * a.cos(), r * a.sin()], 1) / 0.4, y


class Net(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        layers, i = [], 2
        for _ in range(depth):
            layers += [nn.Linear(i, width), nn.ReLU()]
            i = width
        self.body, self.head = nn.Sequential(*layers), nn.Linear(i, CLASSES)

    def forward(self, x):
        return self.head(self.body(x))


def accuracy(net, data):
    net.eval()
    with torch.no_grad():
        acc = (net(data[0]).argmax(1) == data[1]).float().mean().item()
    net.train()
    return acc


def train_teacher(loader, test, epochs=10):
    net = Net(96, 3)
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            F.cross_entropy(net(x), y).backward()
            opt.step()
    print(f"teacher acc {accuracy(net, test):.3f}")
    return net.eval()


def kd_loss(student_logits, teacher_logits, t=2.0):
    return F.kl_div(F.softmax(student_logits / t, dim=1), F.softmax(teacher_logits / t, dim=1), reduction="batchmean") * t * t


train, test = spirals(2400), spirals(600)
loader = DataLoader(TensorDataset(*train), batch_size=64, shuffle=True)
teacher = train_teacher(loader, test)
student = Net(32, 2)
opt = torch.optim.Adam(student.parameters(), lr=3e-3)
for epoch in range(12):
    losses = []
    for x, _ in loader:
        with torch.no_grad():
            t = teacher(x)
        loss = kd_loss(student(x), t)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    print(f"student epoch {epoch:2d} kd {sum(losses) / len(losses):.4f} acc {accuracy(student, test):.3f}")
