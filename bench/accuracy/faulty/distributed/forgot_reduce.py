# fault: ranks-diverge
# cause_class: ranks
# family: distributed
# split: tune
"""Two processes, each with its half of the data."""
import atexit
import os
import tempfile

ended = []


@atexit.register  # before PyTorch is imported, and so called last
def end():
    if ended:  # PyTorch 2.15 sometimes aborts a process that used gloo at its end: leave that out
        os._exit(0)


import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn


def train(rank, world, store):
    dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=world)
    torch.set_num_threads(1)
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    x = torch.randn(1600, 12)
    y = (x[:, :4].sum(1) * x[:, 4] > 0).float()
    net = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
    criterion = nn.BCEWithLogitsLoss()
    mine = torch.arange(rank, 1600, world)
    for epoch in range(4):
        for i in mine[torch.randperm(len(mine))].split(40):
            optimizer.zero_grad()
            loss = criterion(net(x[i]).squeeze(1), y[i])
            loss.backward()
            optimizer.step()
        dist.barrier()
        if rank == 0:
            print("epoch", epoch, "loss", loss.item(), flush=True)
    dist.destroy_process_group()
    ended.append(True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, (2, os.path.join(folder, "store")), nprocs=2)
