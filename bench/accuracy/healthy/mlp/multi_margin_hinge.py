# fault: none
# family: mlp
# split: tune
# A linear SVM on features by a fixed random layer: MultiMarginLoss, gradients become sparse.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class RandomFeatures(nn.Module):
    def __init__(self, d, m):
        super().__init__()
        self.register_buffer("w", torch.randn(d, m) * 0.6)
        self.register_buffer("b", 6.2832 * torch.rand(m))
        self.scale = (2.0 / m) ** 0.5

    def forward(self, x):
        return self.scale * torch.cos(x @ self.w + self.b)


x = torch.randn(1500, 3)
y = (x.norm(dim=1) > 1.2).long() + (x.norm(dim=1) > 2.0).long()
model = nn.Sequential(RandomFeatures(3, 300), nn.Linear(300, 3))
criterion = nn.MultiMarginLoss()
opt = torch.optim.SGD(model.parameters(), lr=1.0, momentum=0.9, weight_decay=1e-4)
hist = []
for epoch in range(10):
    for i in torch.randperm(1500).split(50):
        loss = criterion(model(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        hist.append(loss.item())
print(f"loss first {hist[0]:.4f} last {sum(hist[-20:]) / 20:.4f}")
