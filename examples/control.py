"""Two lines for control: say what to capture, and log numbers of your own.

    vigil run -- python control.py

It runs without `vigil run` as well: the hook then starts the agent itself.
"""

import torch
from torch import nn

import vigil.torch as vg

hook = vg.Hook()
hook.collection("first_layer", regex=r"0\.weight", every=20, raw=True)

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
hook.register_module(model)
optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)

for step in range(200):
    x = torch.randn(64, 8)
    y = x[:, :2].prod(1, keepdim=True)
    optimiser.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimiser.step()
    if step % 10 == 0:
        hook.save_scalar("target_std", y.std().item())

hook.close()
