# fault: none
# family: cnn
# split: held
"""Small separable network; slow running statistics, so many small batches."""
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)
BN = dict(eps=1e-3, momentum=0.02)


class SeparableConv(nn.Sequential):
    def __init__(self, i, o, stride=1):
        super().__init__(nn.Conv2d(i, i, 3, stride=stride, padding=1, groups=i, bias=False), nn.BatchNorm2d(i, **BN),
                         nn.ReLU6(), nn.Conv2d(i, o, 1, bias=False), nn.BatchNorm2d(o, **BN), nn.ReLU6())


class TinyMobileNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1, stride=2, bias=False), nn.BatchNorm2d(12, **BN), nn.ReLU6())
        self.blocks = nn.Sequential(SeparableConv(12, 24), SeparableConv(24, 32, 2))
        self.head = nn.Linear(32, classes)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


def images(n, palette):
    y = torch.randint(0, len(palette), (n,))
    x = palette[y][:, :, None, None] * 0.3 + 0.8 * torch.randn(n, 3, 16, 16)
    x[:, :, 4:12, 4:12] += palette[(y + 1) % len(palette)][:, :, None, None] * 0.4
    return TensorDataset(x, y)


@torch.no_grad()
def accuracy(model, data):
    model.eval()
    logits = model(data.tensors[0])
    loss = nn.functional.cross_entropy(logits, data.tensors[1]).item()
    return (logits.argmax(1) == data.tensors[1]).float().mean().item(), loss


palette = torch.randn(6, 3)
train, valid = images(2400, palette), images(400, palette)
model = TinyMobileNet(6)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=4e-5)
for epoch in range(4):
    model.train()
    total = 0.0
    loader = DataLoader(train, batch_size=24, shuffle=True)
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.05)
        loss.backward()
        optimizer.step()
        total += loss.item()
    acc, vloss = accuracy(model, valid)
    print(f"epoch {epoch} loss {total / len(loader):.4f} valid loss {vloss:.4f} acc {acc:.3f}")
