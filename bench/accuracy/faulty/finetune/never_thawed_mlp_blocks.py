# fault: frozen-by-mistake
# cause_class: not-updated, structure
# family: finetune
# split: tune
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


def block(i, o):
    return nn.Sequential(nn.Linear(i, o), nn.BatchNorm1d(o), nn.ReLU())


class Tabular(nn.Module):
    def __init__(self, n, classes):
        super().__init__()
        self.layers = nn.ModuleList([block(n, 64), block(64, 64), block(64, 64)])
        self.classifier = nn.Linear(64, classes)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.classifier(x)


def freeze_until(model, last):
    for i, layer in enumerate(model.layers):
        for p in layer.parameters():
            p.requires_grad = i >= last
    return [p for p in model.parameters() if p.requires_grad]


w = torch.randn(16, 3)
x = torch.randn(3000, 16)
y = torch.sin(2 * x @ w).argmax(1)
model = Tabular(16, 3)
path = os.environ.get("PRETRAINED_WEIGHTS", "")
if os.path.exists(path):
    model.load_state_dict(torch.load(path))
opt = torch.optim.Adam(freeze_until(model, 2), lr=2e-3)
for epoch in range(6):
    for b in torch.randperm(2600).split(50):
        loss = F.cross_entropy(model(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        print(epoch, round(loss.item(), 4), (model(x[2600:]).argmax(1) == y[2600:]).float().mean().item())
    model.train()
