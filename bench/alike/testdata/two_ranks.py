"""Two processes with one model; each writes what it holds."""

import atexit
import os

done = []


@atexit.register  # before PyTorch is imported, and so called last
def end():
    """At its end PyTorch 2.15 sometimes aborts a process that used gloo, with or without Vigil: leave that out."""
    if done:
        os._exit(0)


import torch
from torch import nn

rank = int(os.environ["RANK"])
torch.distributed.init_process_group("gloo")
torch.manual_seed(5)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
model = nn.parallel.DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
torch.manual_seed(rank)
for step in range(12):
    x = torch.randn(16, 8)
    loss = (model(x) - x.mean(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 4 == 0:
        torch.save(net, "net-%d-%d.pt" % (step, rank))
        torch.save(optimizer.state_dict(), "optimizer-%d.pt" % rank)
with open("losses-%d.txt" % rank, "w") as file:
    file.write("%.8f\n" % loss.item())
torch.distributed.destroy_process_group()
done.append(True)
