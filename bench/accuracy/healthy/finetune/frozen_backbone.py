# fault: none
# family: finetune
# split: tune
# The backbone is frozen and stays in eval() during training; only the new head is given to the optimiser.
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(),
        )

    def forward(self, x):
        return self.net(x)


class FineTuned(nn.Module):
    def __init__(self, backbone, classes):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(96, classes)
        for p in self.backbone.parameters():
            p.requires_grad = False

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()  # keep the running statistics
        return self

    def forward(self, x):
        with torch.no_grad():
            f = self.backbone(x)
        return self.head(f)


pattern = torch.randn(5, 3, 8, 8)
y = torch.randint(0, 5, (1000,))
x = pattern[y] + 0.7 * torch.randn(1000, 3, 8, 8)
bb = Backbone()
with torch.no_grad():
    bb.train()
    for _ in range(30):
        bb(x[torch.randint(0, 1000, (64,))])  # statistics of the features

model = FineTuned(bb, 5)
loader = DataLoader(TensorDataset(x, y), batch_size=50, shuffle=True)
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-2)
criterion = nn.CrossEntropyLoss()
hist = []
for epoch in range(8):
    model.train()
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        hist.append(loss.item())
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
