# fault: dropout-on-output
# cause_class: regularisation, structure
# family: cnn
# split: tune
# twin: healthy/twins/leaves_functional.py
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

N, K, S = 960, 4, 16


def leaves(n):
    kind = torch.randint(0, K, (n,))
    yy, xx = torch.meshgrid(torch.linspace(-1, 1, S), torch.linspace(-1, 1, S), indexing="ij")
    img = torch.empty(n, 1, S, S)
    for i in range(n):
        a, b = 0.35 + 0.5 * (kind[i] % 2), 0.35 + 0.5 * (kind[i] // 2)
        cx, cy = 0.2 * torch.randn(2)
        img[i, 0] = (((xx - cx) / a) ** 2 + ((yy - cy) / b) ** 2 < 0.5).float()
    return img + 0.3 * torch.randn_like(img), kind


class LeafNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 12, 3, padding=1)
        self.conv2 = nn.Conv2d(12, 24, 3, padding=1)
        self.fc1 = nn.Linear(24 * 4 * 4, 48)
        self.fc2 = nn.Linear(48, K)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        x = F.dropout(self.fc2(x), 0.5, self.training)
        return F.log_softmax(x, dim=1)


x, y = leaves(N)
mean, std = x.mean(), x.std()
x = (x - mean) / std
model = LeafNet()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for epoch in range(5):
    model.train()
    perm = torch.randperm(800)
    for i in range(0, 800, 40):
        b = perm[i : i + 40]
        optimizer.zero_grad()
        loss = F.nll_loss(model(x[b]), y[b])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        test = F.nll_loss(model(x[800:]), y[800:], reduction="sum").item() / (N - 800)
    print("epoch %d loss %.3f test %.3f" % (epoch, loss.item(), test))
