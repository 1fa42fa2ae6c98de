"""Ends with an error before anything is trained."""

import torch
from torch import nn

model = nn.Linear(4, 2)
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
print("done")
model(torch.randn(8, 5))
