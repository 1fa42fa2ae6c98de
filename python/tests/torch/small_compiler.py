"""Trainings that are compiled. The first argument says which; prints how often the compiler ran, by its own numbers."""

import sys

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
STEPS = 45


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def forward(self, x):
        return self.layer(x)


def train(model, sizes):
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
    for n in sizes:
        optimiser.zero_grad()
        nn.functional.mse_loss(model(torch.ones(n, 4)), torch.ones(n, 1)).backward()
        optimiser.step()


def plain():
    train(Net(), range(2, 2 + STEPS))


def compiled():
    train(torch.compile(Net(), backend="eager", dynamic=False), [8] * STEPS)


def shapes():
    """A new shape in each step."""
    torch._dynamo.config.cache_size_limit = 100
    train(torch.compile(Net(), backend="eager", dynamic=False), range(2, 2 + STEPS))


def breaks():
    """The graph is in two parts, at a print."""

    class Loud(Net):
        def forward(self, x):
            x = self.layer(x)
            print("", end="")
            return x * 2

    train(torch.compile(Loud(), backend="eager", dynamic=False), [8] * STEPS)


globals()[sys.argv[1]]()
utils = sys.modules.get("torch._dynamo.utils")
noted = getattr(utils, "compilation_time_metrics", {})
print("compiled %d times" % sum(len(times) for name, times in noted.items() if name.endswith("compile_inner")))
