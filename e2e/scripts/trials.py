"""A search of five trials in one process, each with a model, an optimiser and loaders of its own; the arguments are their rates.

Prints of each trial its first and last update, its epochs, its last loss, and its last validation loss.
"""

import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(240, 8)
y = x @ torch.randn(8, 1) + 0.1 * torch.randn(240, 1)
updates = 0


def trial(number, rate):
    global updates
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    criterion = nn.MSELoss()
    training = DataLoader(TensorDataset(x[:160], y[:160]), batch_size=16, shuffle=True)
    validation = DataLoader(TensorDataset(x[160:], y[160:]), batch_size=16)
    first, epochs = updates, 3 + number
    for _ in range(epochs):
        model.train()
        for a, b in training:
            optimizer.zero_grad()
            loss = criterion(model(a), b)
            loss.backward()
            optimizer.step()
            updates += 1
        model.eval()
        with torch.no_grad():
            of_validation = sum(criterion(model(a), b).item() for a, b in validation) / len(validation)
    print("trial %d %d %d %d %.9g %.9g" % (number, first, updates - 1, epochs, loss.item(), of_validation))


for i, rate in enumerate(sys.argv[1:]):
    trial(i + 1, float(rate))
