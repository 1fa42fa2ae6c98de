"""Everything is built, but the loop never runs."""

import torch
from torch import nn

model = nn.Linear(4, 2)
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(0):
    optimiser.step()
print("done")
