"""Where small trainings are registered, and what they are made of."""

import torch
from torch import nn

STEPS = 12
CASES = {}


def case(fn):
    CASES[fn.__name__] = fn
    return fn


def data(n=32, features=6, classes=3):
    for _ in range(STEPS):
        yield torch.randn(n, features), torch.randint(classes, (n,))


def net(*layers):
    return nn.Sequential(*(layers or (nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))))


def train(model, loss, batches=None, optimiser=None, zero=True):
    optimiser = optimiser or torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in batches or data():
        if zero:
            optimiser.zero_grad()
        loss(model(x), y).backward()
        optimiser.step()
    return model
