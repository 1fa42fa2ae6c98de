"""Names that would break a path, a line or a table."""

import torch
from torch import nn

import vigil.torch as vg

hook = vg.Hook()
model = nn.Linear(4, 2)
hook.register_module(model)
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
names = ["a/b/../../c", "quotes \" ' `", "line\nbreak\ttab", "x" * 5000, "ünïcödé ☃", "nul\x00byte", ".."]
for step in range(5):
    optimiser.zero_grad()
    nn.functional.mse_loss(model(torch.randn(8, 4)), torch.zeros(8, 2)).backward()
    for i, name in enumerate(names):
        hook.save_scalar(name, step + i)
        hook.save_tensor("tensor " + name, torch.full((3,), float(step + i)))
    optimiser.step()
hook.close()
print("done")
