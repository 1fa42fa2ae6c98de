# fault: model-replaced
# cause_class: not-updated, optimizer
# family: cnn
# split: tune
"""Three-fold cross-validation of a texture classifier."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
kernels = torch.randn(3, 1, 3, 3)


def textures(n):
    y = torch.randint(0, 3, (n,))
    noise = torch.randn(n, 1, 14, 14)
    maps = torch.cat([nn.functional.conv2d(noise, k[None]) for k in kernels], 1)
    x = maps[torch.arange(n), y].unsqueeze(1)
    return x / x.std(), y


def make_model():
    return nn.Sequential(nn.Conv2d(1, 12, 3), nn.ReLU(), nn.Conv2d(12, 16, 3), nn.ReLU(),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 3))


class Experiment:
    def __init__(self, lr=5e-3):
        self.model = make_model()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.criterion = nn.CrossEntropyLoss()

    def reset(self):
        self.model = make_model()

    def fit(self, x, y, epochs=6, batch=32):
        self.model.train()
        for epoch in range(epochs):
            total = 0
            for idx in torch.randperm(len(x)).split(batch):
                self.optimizer.zero_grad()
                loss = self.criterion(self.model(x[idx]), y[idx])
                loss.backward()
                self.optimizer.step()
                total += loss.item() * len(idx)
            print(f"   epoch {epoch} loss {total / len(x):.4f}")

    @torch.no_grad()
    def score(self, x, y):
        self.model.eval()
        return (self.model(x).argmax(1) == y).float().mean().item()


x, y = textures(900)
folds = torch.arange(900) % 3
exp = Experiment()
scores = []
for k in range(3):
    exp.reset()
    print("fold", k)
    exp.fit(x[folds != k], y[folds != k])
    scores.append(exp.score(x[folds == k], y[folds == k]))
print("accuracies", [round(s, 3) for s in scores])
