"""Two gloo ranks: torchrun --nproc_per_node 2 ddp.py."""

import atexit
import os
import sys

done = []


@atexit.register  # before PyTorch is imported, and so called last
def end():
    """At its end PyTorch 2.15 sometimes aborts a process that used gloo, with or without Vigil: leave that out."""
    if done:
        sys.stdout.flush()
        os._exit(0)


import torch
import torch.distributed as dist
from common import STEPS, Report, batches, blobs
from torch import nn

torch.manual_seed(0)
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
if rank != 0:
    os.environ.pop("VIGIL_E2E_OUT", None)
    import common

    common.OUT = None
report = Report(model.module)
x, y = blobs(1024, 20, 5)
for a, b in batches(x[rank::world], y[rank::world], 32, STEPS):
    optimizer.zero_grad()
    loss = criterion(model(a), b)
    loss.backward()
    optimizer.step()
    report.step(loss.item())
model.eval()
with torch.no_grad():
    criterion(model.module(x[:64]), y[:64])
report.done()
dist.destroy_process_group()
done.append(True)
