# fault: inputs-constant
# cause_class: data-loading, data-scaling
# family: cnn
# split: held
import os
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)


def draw(kind):
    """16x16 grey picture of a bar, a cross, a box or a disc."""
    img = rng.integers(0, 60, (16, 16))
    r, c = rng.integers(4, 12, 2)
    ink = rng.integers(140, 250)
    if kind == 0:
        img[r, 2:14] = ink
    elif kind == 1:
        img[r, c - 3:c + 4] = ink
        img[r - 3:r + 4, c] = ink
    elif kind == 2:
        img[r - 3:r + 4, [c - 3, c + 3]] = ink
        img[[r - 3, r + 3], c - 3:c + 4] = ink
    else:
        yy, xx = np.mgrid[:16, :16]
        img[(yy - r) ** 2 + (xx - c) ** 2 <= 9] = ink
    return img.astype(np.uint8)


class Shapes(Dataset):
    def __init__(self, n):
        self.labels = rng.integers(0, 4, n)
        self.images = [draw(k) for k in self.labels]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        img = self.images[i] // 255
        return torch.from_numpy(img).float().unsqueeze(0), int(self.labels[i])


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 12, 3, padding=1)
        self.c2 = nn.Conv2d(12, 24, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.f1 = nn.Linear(24 * 16, 48)
        self.f2 = nn.Linear(48, 4)

    def forward(self, x):
        x = self.pool(torch.relu(self.c1(x)))
        x = self.pool(torch.relu(self.c2(x)))
        return self.f2(torch.relu(self.f1(x.flatten(1))))


train, val = DataLoader(Shapes(960), 32, shuffle=True), DataLoader(Shapes(240), 240)
device = torch.device("cpu")
net = SmallNet().to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(6):
    net.train()
    running = 0.0
    for images, labels in train:
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        loss = criterion(net(images), labels)
        loss.backward()
        optimizer.step()
        running += loss.item()
    net.eval()
    with torch.no_grad():
        images, labels = next(iter(val))
        acc = (net(images).argmax(1) == labels).float().mean().item()
    print(f"[{epoch + 1}] loss: {running / len(train):.3f} val acc: {acc:.3f}")
