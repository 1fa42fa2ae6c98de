# fault: none
# family: distributed
# split: tune
"""Two processes, each with its half of the data."""
import os
import tempfile

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
    net = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 1)))
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


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, (2, os.path.join(folder, "store")), nprocs=2)
