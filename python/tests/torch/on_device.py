"""A training for test_device.py: bfloat16 and float32, an activation that is changed in place, gradients that are not always there, a tensor of the script's own.

SHORT names what the device is short of.
"""

import hashlib
import os

import torch
from torch import nn

import vigil.torch as vg
from vigil._torch import device, device_statistics

short = os.environ.get("SHORT", "")


def none_left(*args):
    raise RuntimeError("out of memory\nand so on")


if short == "room put aside":
    device.ASIDE = 0
elif short == "pinned memory":
    device.PINNED = 0
elif short == "pinned memory of the machine":
    device.Host.pinned = none_left
elif short == "memory for statistics":
    device_statistics.compute = none_left


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(20, 30)
        self.relu = nn.ReLU(inplace=True)
        self.last = nn.Linear(30, 5).to(torch.bfloat16)
        self.late = nn.Linear(5, 5)

    def forward(self, x, more):
        x = self.last(self.relu(self.first(x)).to(torch.bfloat16)).float()
        return self.late(x) if more else x


torch.manual_seed(0)
model = Net()
hook = vg.Hook()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for i in range(12):
    x = torch.randn(16, 20)
    optimiser.zero_grad()
    model(x, i % 2).pow(2).mean().backward()
    optimiser.step()
    hook.save_tensor("mine", x.t())
if "VIGIL_E2E_OUT" in os.environ:
    with open(os.environ["VIGIL_E2E_OUT"], "w") as file:
        file.write(hashlib.sha256(b"".join(p.detach().float().numpy().tobytes() for p in model.parameters())).hexdigest())
