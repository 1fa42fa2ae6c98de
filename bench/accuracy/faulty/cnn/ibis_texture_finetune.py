# fault: model-replaced
# cause_class: not-updated, optimizer
# family: cnn
# split: held
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


def textures(n, freqs):
    y = torch.randint(0, len(freqs), (n,))
    grid = torch.arange(16).float()
    f = torch.tensor(freqs)[y].view(n, 1, 1)
    ang = (y.float() * 0.7).view(n, 1, 1)
    phase = 6.28 * torch.rand(n, 1, 1)
    coord = grid.view(1, 16, 1) * torch.cos(ang) + grid.view(1, 1, 16) * torch.sin(ang)
    return (torch.sin(f * coord + phase) + 0.3 * torch.randn(n, 16, 16)).unsqueeze(1), y


class Backbone(nn.Module):
    def __init__(self, num_classes):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 12, 5, padding=2), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.fc = nn.Linear(96, num_classes)

    def forward(self, x):
        return self.fc(self.body(x))


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.AdamW(
            [{"params": model.body.parameters(), "lr": lr / 10}, {"params": model.fc.parameters(), "lr": lr}])

    def load_pretrained(self, state, num_classes):
        """take over the weights of the source task; the head is made for the new one"""
        self.model.fc = nn.Linear(96, 5)
        self.model.load_state_dict(state)
        self.model.fc = nn.Linear(96, num_classes)

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            self.model.train()
            s = 0.0
            for x, y in loader:
                self.optimizer.zero_grad()
                loss = self.criterion(self.model(x), y)
                loss.backward()
                self.optimizer.step()
                s += loss.item()
            print(f"  epoch {epoch + 1}/{epochs} loss {s / len(loader):.4f}")

    @torch.no_grad()
    def score(self, x, y):
        self.model.eval()
        return (self.model(x).argmax(1) == y).float().mean().item()


SOURCE = [0.4, 0.8, 1.2, 1.6, 2.0]
TARGET = [0.5, 0.65, 0.9, 1.1, 1.4, 1.75, 1.9, 2.2]

print("source task")
source = Trainer(Backbone(5), lr=1e-2)
source.fit(DataLoader(TensorDataset(*textures(800, SOURCE)), batch_size=32, shuffle=True), 2)

print("target task")
target = Trainer(Backbone(len(TARGET)), lr=3e-3)
target.load_pretrained(source.model.state_dict(), len(TARGET))
target.fit(DataLoader(TensorDataset(*textures(1000, TARGET)), batch_size=32, shuffle=True), 6)
print("target accuracy", target.score(*textures(400, TARGET)))
