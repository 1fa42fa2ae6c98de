import time

import torch
import torch.nn as nn
import torch.nn.functional as F


class BasicBlock(nn.Module):
    def __init__(self, a, b, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(a, b, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(b)
        self.conv2 = nn.Conv2d(b, b, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(b)
        self.short = nn.Identity() if stride == 1 and a == b else nn.Sequential(nn.Conv2d(a, b, 1, stride, bias=False), nn.BatchNorm2d(b))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.short(x))


class ResNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 32, 3, 1, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU())
        self.stages = nn.Sequential(
            BasicBlock(32, 32), BasicBlock(32, 64, 2), BasicBlock(64, 64), BasicBlock(64, 128, 2), BasicBlock(128, 128), BasicBlock(128, 256, 2)
        )
        self.fc = nn.Linear(256, classes)

    def forward(self, x):
        return self.fc(self.stages(self.stem(x)).mean((2, 3)))


torch.manual_seed(0)
prototypes = F.interpolate(torch.randn(12, 3, 6, 6), size=32, mode="bicubic")
labels = torch.randint(12, (1024,))
images = prototypes[labels] + 1.5 * torch.randn(1024, 3, 32, 32)
model = ResNet(12)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4, nesterov=True)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=3 * 32)
start = time.time()
for epoch in range(3):
    for i, idx in enumerate(torch.randperm(1024).split(32)):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images[idx]), labels[idx])
        loss.backward()
        optimizer.step()
        scheduler.step()
        if i % 8 == 7:
            print(f"epoch {epoch} batch {i + 1}/32 loss {loss.item():.3f} {time.time() - start:.1f} s")
