"""Every value is NaN from the first step on."""

import torch
from torch import nn

model = nn.Linear(4, 2)
with torch.no_grad():
    for p in model.parameters():
        p.fill_(float("nan"))
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(30):
    optimiser.zero_grad()
    loss = model(torch.full((8, 4), float("nan"))).mean()
    loss.backward()
    optimiser.step()
print("done")
