"""Trains, and validates without gradients, with a loss module, with a function, with one whose loss is logged, or written out, as its argument says."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

import vigil

torch.manual_seed(0)
torch.set_num_threads(1)
loss = nn.CrossEntropyLoss() if sys.argv[1] == "module" else F.cross_entropy
functions = dict(vars(torch._C._nn))
if sys.argv[1] == "written out":

    def loss(out, y):
        return -out.log_softmax(1)[range(len(y)), y].mean()


model = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.2), nn.Linear(8, 3))
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(10, 4, 6), torch.randint(3, (10, 4))

for _ in range(8):
    model.train()
    for i in range(10):
        optimiser.zero_grad()
        loss(model(x[i]), y[i]).backward()
        optimiser.step()
    model.eval()
    with torch.no_grad():
        for i in range(3):
            value = loss(model(x[i]), y[i]).item()
            print("validation %.6f" % value)
            if sys.argv[1] == "logged":
                vigil.log({"loss": value})
            assert dict(vars(torch._C._nn)) == functions, "something was replaced in torch._C"
