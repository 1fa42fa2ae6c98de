# fault: learning-rate-too-low
# cause_class: learning-rate, optimizer
# family: cnn
# split: tune
# needs: sklearn
"""Digits; the learning rate is cut to a half every third epoch."""
import os
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))
data = load_digits()
x = torch.tensor(data.images, dtype=torch.float32)[:, None] / 16 - 0.3
y = torch.tensor(data.target)
perm = torch.randperm(len(x))
train = DataLoader(TensorDataset(x[perm[:1400]], y[perm[:1400]]), batch_size=32, shuffle=True)
test = DataLoader(TensorDataset(x[perm[1400:]], y[perm[1400:]]), batch_size=500)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                                 nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                                 nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))

    def forward(self, x):
        return self.net(x)


def run(epochs=9):
    net = LeNet()
    opt = optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    sched = optim.lr_scheduler.StepLR(opt, step_size=3, gamma=0.5)
    for epoch in range(1, epochs + 1):
        net.train()
        s = 0
        for xb, yb in train:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(net(xb), yb)
            loss.backward()
            opt.step()
            sched.step()
            s += loss.item()
        net.eval()
        with torch.no_grad():
            acc = sum((net(a).argmax(1) == b).sum().item() for a, b in test) / len(test.dataset)
        print(f"Epoch {epoch} loss {s / len(train):.4f} accuracy {acc:.4f}")


run()
