"""A tensor of 2 GB, larger than any ring frame."""

import torch
from torch import nn

import vigil.torch as vg

hook = vg.Hook()
model = nn.Linear(4, 2)
hook.register_module(model)
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
big = torch.ones(2**29 + 3)
big[-1] = 7.0
for step in range(2):
    optimiser.zero_grad()
    nn.functional.mse_loss(model(torch.randn(8, 4)), torch.zeros(8, 2)).backward()
    if step == 0:
        hook.save_tensor("big", big)
    optimiser.step()
hook.close()
print("done")
