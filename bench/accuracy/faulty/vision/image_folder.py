# fault: labels-shuffled
# cause_class: labels, data-loading
# family: vision
# split: tune
"""Defect classification of 16x16 crops that lie as numbered files in a store, with a label table."""
import os
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
torch.manual_seed(SEED)
CLASSES = 4


def make_store(n):
    """name -> image, and the label table in order of the image numbers"""
    store, table = {}, []
    for i in range(n):
        label = random.randrange(CLASSES)
        img = 0.4 * torch.randn(1, 16, 16)
        pos = random.randrange(3, 13)
        if label == 0:
            img[0, pos, :] += 1.5
        elif label == 1:
            img[0, :, pos] += 1.5
        elif label == 2:
            img[0, pos - 2:pos + 2, 6:10] += 1.5
        else:
            img[0].diagonal().add_(1.5)
        store[f"crop_{i}.pt"] = img
        table.append(label)
    return store, table


class CropDataset(Dataset):
    def __init__(self, store, table):
        self.store = store
        self.files = sorted(store.keys())
        self.labels = torch.tensor(table)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return self.store[self.files[index]], self.labels[index]


class CropNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2))
        self.head = nn.Linear(24 * 16, CLASSES)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


class Engine:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-2)
        self.criterion = nn.CrossEntropyLoss()

    def fit(self, loader):
        self.model.train()
        losses = []
        for images, labels in loader:
            self.optimizer.zero_grad(set_to_none=True)
            loss = self.criterion(self.model(images), labels)
            loss.backward()
            self.optimizer.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)

    @torch.no_grad()
    def validate(self, loader):
        self.model.eval()
        hits = sum((self.model(x).argmax(1) == y).sum().item() for x, y in loader)
        return hits / len(loader.dataset)


if __name__ == "__main__":
    store, table = make_store(2500)
    data = CropDataset(store, table)
    order = torch.randperm(len(data)).tolist()
    train = DataLoader(Subset(data, order[:2000]), batch_size=50, shuffle=True)
    valid = DataLoader(Subset(data, order[2000:]), batch_size=250)
    engine = Engine(CropNet(), lr=1e-3)
    for epoch in range(4):
        print(epoch, round(engine.fit(train), 4), "valid acc", round(engine.validate(valid), 3))
