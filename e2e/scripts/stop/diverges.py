"""A training whose loss runs away to infinity; it never ends by itself.

Writes the process's number to the file that PIDS names. With torchrun it
trains two ranks.
"""

import os
import time

import torch
from torch import nn

with open(os.environ["PIDS"], "a") as f:
    f.write("%d\n" % os.getpid())
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
if "RANK" in os.environ:
    import torch.distributed as dist

    dist.init_process_group("gloo")
    model = nn.parallel.DistributedDataParallel(model)
optimiser = torch.optim.SGD(model.parameters(), lr=1e3)
while True:
    x = torch.randn(32, 8)
    optimiser.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimiser.step()
    time.sleep(0.01)
