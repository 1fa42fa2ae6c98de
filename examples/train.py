"""An ordinary PyTorch training: a small network learns to tell ten clouds of points apart.

Nothing in it knows of Vigil. Watch it with

    vigil run -- python train.py
"""

import torch
from torch import nn

torch.manual_seed(0)
centres = 0.5 * torch.randn(10, 32)


def draw(n):
    labels = torch.randint(10, (n,))
    return centres[labels] + 0.8 * torch.randn(n, 32), labels


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.head = nn.Linear(128, 10)

    def forward(self, x):
        return self.head(self.hidden(x))


def main():
    model = Net()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(5):
        model.train()
        for _ in range(100):
            x, y = draw(64)
            optimiser.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimiser.step()
        model.eval()
        with torch.no_grad():
            x, y = draw(1000)
            scores = model(x)
            print("epoch %d, loss %.3f, accuracy %.3f" % (epoch, criterion(scores, y), (scores.argmax(1) == y).float().mean()))


if __name__ == "__main__":
    main()
