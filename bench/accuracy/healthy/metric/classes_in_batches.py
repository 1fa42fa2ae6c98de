# fault: none
# family: metric
# split: tune
"""Batches of P classes with K samples each, in this order, for a classifier whose embedding is used later."""
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Sampler, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))
CLASSES, P, K = 8, 4, 8


class PKSampler(Sampler):
    def __init__(self, labels, batches):
        self.places = [torch.nonzero(labels == c)[:, 0] for c in range(CLASSES)]
        self.batches = batches

    def __len__(self):
        return self.batches

    def __iter__(self):
        for _ in range(self.batches):
            batch = []
            for c in torch.randperm(CLASSES)[:P].sort().values:
                where = self.places[c]
                batch += where[torch.randint(len(where), (K,))].tolist()
            yield batch


centres = 1.5 * torch.randn(CLASSES, 20)
labels = torch.arange(CLASSES).repeat_interleave(80)
points = centres[labels] + torch.randn(len(labels), 20)
embed = nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 16))
head = nn.Linear(16, CLASSES)
model = nn.Sequential(embed, nn.ReLU(), head)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(4):
    for x, y in DataLoader(TensorDataset(points, labels), batch_sampler=PKSampler(labels, 60)):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        acc = (model(points).argmax(1) == labels).float().mean().item()
    print(f"epoch {epoch} loss {loss.item():.4f} accuracy {acc:.3f}")
