# fault: none
# family: cnn
# split: tune
# Depthwise separable convolutions with ReLU6 and Hardswish; RMSprop.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


def conv_bn(i, o, k=3, s=1, groups=1, act=nn.ReLU6):
    layers = [nn.Conv2d(i, o, k, s, k // 2, groups=groups, bias=False), nn.BatchNorm2d(o)]
    if act:
        layers.append(act())
    return nn.Sequential(*layers)


class InvertedResidual(nn.Module):
    def __init__(self, i, o, stride, expand):
        super().__init__()
        self.skip = stride == 1 and i == o
        mid = i * expand
        self.body = nn.Sequential(
            conv_bn(i, mid, 1), conv_bn(mid, mid, 3, stride, groups=mid), conv_bn(mid, o, 1, act=None)
        )

    def forward(self, x):
        return x + self.body(x) if self.skip else self.body(x)


class TinyMobileNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(
            conv_bn(1, 8, s=2, act=nn.Hardswish),
            InvertedResidual(8, 8, 1, 2), InvertedResidual(8, 16, 2, 2), InvertedResidual(16, 16, 1, 2),
        )
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(16, classes))

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


def make(n):
    y = torch.randint(0, 4, (n,))
    grid = torch.arange(16).float()
    freq = 0.5 + 0.5 * y.float()
    phase = torch.rand(n) * 6.28
    wave = torch.sin(freq[:, None] * grid[None] + phase[:, None])
    img = wave[:, None, :] * torch.ones(16)[None, :, None]
    flip = torch.rand(n) < 0.5
    img[flip] = img[flip].transpose(1, 2)
    return img.unsqueeze(1) + 0.4 * torch.randn(n, 1, 16, 16), y


x, y = make(1000)
model = TinyMobileNet(4)
opt = torch.optim.RMSprop(model.parameters(), lr=2e-3, momentum=0.9)
ce = nn.CrossEntropyLoss()
losses = []
for epoch in range(6):
    for i in torch.randperm(1000).split(40):
        opt.zero_grad()
        loss = ce(model(x[i]), y[i])
        loss.backward()
        opt.step()
        losses.append(loss.item())
print(f"loss first {losses[0]:.4f} last {losses[-1]:.4f}")
