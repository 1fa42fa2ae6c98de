"""Trainings for test_no_waits.py on the meta device, whose values nobody can read.

It prints how many operations were dispatched in each of the last SEEN steps of each.
"""

import json

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

META = torch.device("meta")
STEPS, SEEN = 36, 10


class Dispatched(TorchDispatchMode):
    """The operations that are dispatched, without those that only look at memory in another way."""

    VIEWS = ("alias", "detach", "expand", "reshape", "select", "slice", "unsqueeze", "view")

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.__name__.split(".")[0]
        if name not in self.VIEWS:
            self.names.append(name)
        if name == "_local_scalar_dense" and not isinstance(args[0], torch.Tensor):
            return args[0]  # a number of the script in the graph, which a mode gets as such
        return func(*args, **(kwargs or {}))


class Sequence(nn.Module):
    """Tokens, of which the padding is hidden, through attention."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 32, padding_idx=0)
        self.three, self.head = nn.Linear(32, 96), nn.Linear(32, 50)

    def forward(self, x):
        q, k, v = self.three(self.embedding(x)).chunk(3, 2)
        scores = (q @ k.transpose(1, 2) / 32**0.5).masked_fill((x == 0).unsqueeze(1), float("-inf"))
        return self.head(scores.softmax(-1) @ v)


class Variational(nn.Module):
    """An encoder and a decoder with a draw between them."""

    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(20, 8), nn.Linear(4, 20)

    def forward(self, x):
        mean, log_variance = self.encoder(x).chunk(2, 1)
        z = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        return torch.sigmoid(self.decoder(z)), -0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum(1).mean()


def images():
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Dropout(0.1), nn.Flatten(), nn.Linear(8 * 36, 10)).to(META)
    loss = nn.CrossEntropyLoss(label_smoothing=0.1)
    return model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), lambda: loss(model(torch.randn(16, 3, 8, 8, device=META)), _classes(16, 10))


def tokens():
    model = Sequence().to(META)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def loss():
        x = _classes(256, 50).view(16, 16)
        return F.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten(), ignore_index=0)

    return model, optimiser, loss


def variational():
    model = Variational().to(META)

    def loss():
        x = torch.rand(16, 20, device=META)
        y, divergence = model(x)
        return F.binary_cross_entropy(y, x, reduction="sum") / 16 + divergence

    return model, torch.optim.Adam(model.parameters(), lr=1e-3), loss


def by_hand():
    """A loss that is written out, a penalty, two calls of one loss module."""
    model = nn.Sequential(nn.Linear(20, 16), nn.Tanh(), nn.Linear(16, 1)).to(META)
    square = nn.MSELoss()

    def loss():
        x, y = torch.randn(16, 20, device=META), torch.randn(16, 1, device=META)
        out = model(x)
        penalty = 1e-4 * sum(p.pow(2).sum() for p in model.parameters())
        yes = torch.sigmoid(out)
        written = -(y * torch.log(yes) + (1 - y) * torch.log(1 - yes)).mean()
        return square(out, y) + square(model(-x), y) + written + penalty

    return model, torch.optim.RMSprop(model.parameters(), lr=1e-3), loss


def _classes(n, of):
    return torch.zeros(n, dtype=torch.int64, device=META)


def train(model, optimiser, loss):

    def step():
        optimiser.zero_grad()
        loss().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()

    for _ in range(STEPS - SEEN):
        step()
    model.eval()
    with torch.no_grad():
        loss()
    model.train()
    counts = []
    for _ in range(SEEN):
        with Dispatched() as seen:
            step()
        counts.append(len(seen.names))
    return counts


if __name__ == "__main__":
    print(json.dumps({make.__name__: train(*make()) for make in (images, tokens, variational, by_hand)}))
