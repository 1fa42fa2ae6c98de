# fault: none
# family: mlp
# split: tune
# Label smoothing 0.2: the loss cannot fall below the entropy of the smoothed labels and stays there.
import os

import torch
from torch import nn, optim

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Trainer:
    def __init__(self, model, lr, classes):
        self.model = model
        self.criterion = nn.CrossEntropyLoss(label_smoothing=0.2)
        self.optimizer = optim.Adam(model.parameters(), lr=lr)
        self.history = []

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        self.history.append(loss.item())

    def fit(self, x, y, epochs, batch_size):
        for _ in range(epochs):
            self.model.train()
            for idx in torch.randperm(len(x)).split(batch_size):
                self.step(x[idx], y[idx])
            self.model.eval()
            with torch.no_grad():
                acc = (self.model(x).argmax(1) == y).float().mean()
            print(f"train acc {acc:.3f}")


K = 6
means = 2.5 * torch.randn(K, 10)
y = torch.randint(0, K, (1200,))
x = means[y] + torch.randn(1200, 10)
trainer = Trainer(nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, K)), lr=5e-3, classes=K)
trainer.fit(x, y, epochs=8, batch_size=40)
print(f"loss first {trainer.history[0]:.4f} last {trainer.history[-1]:.4f}")
