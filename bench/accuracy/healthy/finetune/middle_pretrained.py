# fault: none
# family: finetune
# split: tune
# A small adapter network around a text encoder that another job trained.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU())

    def forward(self, x):
        return self.layers(x)


class Whole(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.adapt = nn.Linear(12, 20)
        self.encoder = encoder
        self.head = nn.Sequential(nn.Linear(40, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3))

    def forward(self, x):
        return self.head(self.encoder(torch.relu(self.adapt(x))))


def batches(x, y, size):
    for i in torch.randperm(len(x)).split(size):
        yield x[i], y[i]


w = torch.randn(20, 3)
source = torch.randn(1500, 20)
encoder = Encoder()
probe = nn.Linear(40, 3)
first = torch.optim.Adam([*encoder.parameters(), *probe.parameters()], lr=3e-3)
for x, y in batches(source, (source @ w).argmax(1), 50):
    first.zero_grad()
    nn.functional.cross_entropy(probe(encoder(x)), y).backward()
    first.step()
del first, probe

model = Whole(encoder)
model.encoder.requires_grad_(False)
lift = torch.randn(12, 20)
data = torch.randn(1500, 12)
label = (data @ lift @ w).argmax(1)
optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=2e-3)
for epoch in range(4):
    for x, y in batches(data, label, 50):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
