# fault: learning-rate-too-low
# cause_class: learning-rate
# family: vision
# split: held
import os

import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)

hparams = {"lr": 0.02, "momentum": 0.9, "epochs": 6, "lr_step_size": 3, "lr_gamma": 0.1, "batch_size": 64}


class ResBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c), nn.ReLU(),
                               nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c))

    def forward(self, x):
        return torch.relu(x + self.f(x))


def resnet(classes):
    return nn.Sequential(nn.Conv2d(1, 10, 3, padding=1), ResBlock(10), nn.MaxPool2d(2), ResBlock(10),
                         nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(40, classes))


def glyphs(n, shapes):
    y = torch.randint(0, len(shapes), (n,))
    x = shapes[y] + 0.9 * torch.randn(n, 1, 10, 10)
    return TensorDataset(x, y)


class Fitter:
    def __init__(self, model, hp):
        self.model, self.hp = model, hp
        self.optimizer = torch.optim.SGD(model.parameters(), lr=hp["lr"], momentum=hp["momentum"])
        self.scheduler = StepLR(self.optimizer, step_size=hp["lr_step_size"], gamma=hp["lr_gamma"])
        self.criterion = nn.CrossEntropyLoss()

    def train_step(self, x, y):
        self.optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = self.criterion(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()
        return loss.item()

    def fit(self, train, valid):
        for epoch in range(self.hp["epochs"]):
            self.model.train()
            losses = [self.train_step(x, y) for x, y in train]
            print(f"epoch {epoch} loss {sum(losses) / len(losses):.4f} valid acc {self.score(valid):.3f}")

    @torch.no_grad()
    def score(self, loader):
        self.model.eval()
        return sum((self.model(x).argmax(1) == y).sum().item() for x, y in loader) / len(loader.dataset)


shapes = (torch.rand(8, 1, 10, 10) < 0.3).float() * 1.5
train = DataLoader(glyphs(1500, shapes), hparams["batch_size"], shuffle=True)
valid = DataLoader(glyphs(400, shapes), 200)
Fitter(resnet(8), hparams).fit(train, valid)
