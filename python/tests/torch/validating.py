"""Trains with a loss function and validates with it, without gradients and without a module, in the way that its argument names."""

import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.functional import cross_entropy

torch.manual_seed(0)
torch.set_num_threads(1)
WAY = sys.argv[1]
model = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.2), nn.Linear(8, 3))
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(10, 4, 6), torch.randint(3, (10, 4))
targets = torch.randn(10, 4, 3)
names = ("cross_entropy_loss", "nll_loss_nd", "mse_loss")
originals = [getattr(torch._C._nn, name) for name in names]

TRAINING = {
    "squares": lambda p, i: F.mse_loss(p, targets[i]),
    "squares_written_out": lambda p, i: ((p - targets[i]) ** 2).mean(),
    "two_terms": lambda p, i: F.cross_entropy(p, y[i]) + 0.1 * p.pow(2).mean(),
    "module": lambda p, i: nn.CrossEntropyLoss()(p, y[i]),
}
EVALUATION = {
    "squares": lambda p, i: F.mse_loss(p, targets[i]),
    "squares_written_out": lambda p, i: F.mse_loss(p, targets[i]),
    "sums": lambda p, i: F.cross_entropy(p, y[i], reduction="sum") / 4,
    "none": lambda p, i: F.cross_entropy(p, y[i], reduction="none").mean(),
    "imported": lambda p, i: cross_entropy(p, y[i]),
    "logarithms": lambda p, i: F.nll_loss(F.log_softmax(p, 1), y[i]),
    "another": lambda p, i: F.multi_margin_loss(p, y[i]),
    "scripted": lambda p, i: torch.jit.script(in_script)(p, y[i]),
    "two": lambda p, i: F.cross_entropy(p, y[i]) + 0 * F.cross_entropy(-p, y[i]),
}


def in_script(p: torch.Tensor, labels: torch.Tensor):
    return F.cross_entropy(p, labels)


def plain(p, i):
    return F.cross_entropy(p, y[i])


def validate():
    model.eval()
    with torch.inference_mode() if WAY == "inference" else torch.no_grad():
        for i in range(3):
            print("validation %.6f" % EVALUATION.get(WAY, plain)(model(x[i]), i).item())
    model.train()


for epoch in range(8):
    for i in range(10):
        optimiser.zero_grad()
        TRAINING.get(WAY, plain)(model(x[i]), i).backward()
        optimiser.step()
    if WAY == "raises" and epoch == 3:
        try:
            with torch.no_grad():
                model.eval()
                F.cross_entropy(model(x[0]), y[0, :3])
        except ValueError as e:
            print(type(e).__name__)
        model.train()
    validate()
optimiser.zero_grad()
plain(model(x[0]), 0)
assert [getattr(torch._C._nn, name) for name in names] == originals, "something was left in PyTorch"
