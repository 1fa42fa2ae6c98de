"""Classifies photographs of leaves into six kinds of damage."""
import time

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

CLASSES = 6


def make_leaves(n, generator):
    """Green squares with round spots: the class says how large and how many they are."""
    labels = torch.randint(CLASSES, (n,), generator=generator)
    yy, xx = torch.meshgrid(torch.arange(32.0), torch.arange(32.0), indexing="ij")
    images = 0.15 * torch.randn(n, 3, 32, 32, generator=generator)
    images[:, 1] += 0.5
    for k in range(5):
        centre = torch.rand(n, 2, generator=generator) * 32
        radius = 1.5 + 1.2 * (labels % 3)
        seen = (k < 2 + 3 * (labels // 3)).float()
        distance = ((yy - centre[:, 0, None, None]) ** 2 + (xx - centre[:, 1, None, None]) ** 2).sqrt()
        spot = torch.sigmoid(radius[:, None, None] - distance) * seen[:, None, None]
        images[:, 0] += spot
        images[:, 1] -= 0.4 * spot
    return images, labels


class LeafNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.block1 = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2))
        self.block2 = nn.Sequential(nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2))
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, CLASSES))

    def forward(self, x):
        return self.head(self.block2(self.block1(x)))


class Trainer:
    def __init__(self, model, train_loader, val_loader, lr=1e-3, val_every=10):
        self.model = model
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.optimizer = optim.AdamW(model.parameters(), lr=lr)
        self.val_every = val_every
        self.best = 0.0
        self.step = 0

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        right, total, loss = 0, 0, 0.0
        for images, labels in self.val_loader:
            logits = self.model(images)
            loss += F.cross_entropy(logits, labels, reduction="sum").item()
            right += (logits.argmax(1) == labels).sum().item()
            total += len(labels)
        self.model.train()
        return loss / total, right / total

    def fit(self, epochs):
        self.model.train()
        for epoch in range(epochs):
            running = 0.0
            for images, labels in self.train_loader:
                self.optimizer.zero_grad()
                loss = F.cross_entropy(self.model(images), labels)
                loss.backward()
                self.optimizer.step()
                running += loss.item()
                self.step += 1
                if self.step % self.val_every == 0:
                    val_loss, accuracy = self.validate()
                    self.best = max(self.best, accuracy)
            print(f"epoch {epoch}: train {running / len(self.train_loader):.4f} val {val_loss:.4f} accuracy {accuracy:.3f} best {self.best:.3f}")


def main():
    torch.manual_seed(3)
    generator = torch.Generator().manual_seed(3)
    train = TensorDataset(*make_leaves(3840, generator))
    val = TensorDataset(*make_leaves(1920, generator))
    trainer = Trainer(
        LeafNet(),
        DataLoader(train, batch_size=64, shuffle=True),
        DataLoader(val, batch_size=128),
        val_every=8,
    )
    start = time.time()
    trainer.fit(epochs=3)
    print(f"trained in {time.time() - start:.1f} s")


if __name__ == "__main__":
    main()
