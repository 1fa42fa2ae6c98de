# fault: train-in-eval-mode
# cause_class: eval-mode
# family: cnn
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


def shapes(n, s=16):
    g = torch.arange(s).float()
    yy, xx = torch.meshgrid(g, g, indexing="ij")
    c = torch.randint(5, s - 5, (n, 2, 1, 1)).float()
    dy, dx = yy - c[:, 0], xx - c[:, 1]
    label = torch.randint(0, 3, (n,))
    circle = ((dy ** 2 + dx ** 2).sqrt() - 3).abs() < 0.8
    cross = ((dy.abs() < 1) | (dx.abs() < 1)) & (dy.abs() < 4) & (dx.abs() < 4)
    square = (torch.maximum(dy.abs(), dx.abs()) - 3).abs() < 0.6
    img = torch.stack([circle, cross, square], 1)[torch.arange(n), label].float()
    return TensorDataset((img + 0.35 * torch.randn(n, s, s))[:, None], label)


class ShapeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(1, 12, 3, padding=1, bias=False), nn.BatchNorm2d(12)
        self.conv2, self.bn2 = nn.Conv2d(12, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24)
        self.drop = nn.Dropout(0.3)
        self.fc = nn.Linear(24 * 16, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        return self.fc(self.drop(x.flatten(1)))


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    right = total = 0
    for x, y in loader:
        right += (model(x).argmax(1) == y).sum().item()
        total += len(y)
    return right / total


def train(model, loader, val_loader, epochs, log_every=10):
    opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    step = 0
    model.train()
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            opt.step()
            if step % log_every == 0:
                print(f"step {step} loss {loss.item():.4f} val acc {evaluate(model, val_loader):.3f}")
            step += 1


train(ShapeNet(), DataLoader(shapes(640), batch_size=32, shuffle=True), DataLoader(shapes(200), batch_size=200), 6)
