"""Autoencoder of sensor readings on two processes; each uses one of the two cores."""
import atexit
import os
import tempfile
import time

ended = []


@atexit.register  # before PyTorch is imported, and so called last
def leave():
    if ended:  # PyTorch 2.15 sometimes aborts a process that used gloo at its end: leave that out
        os._exit(0)


import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

RANKS = 2


def readings(rank, n=12288, width=160):
    g = torch.Generator().manual_seed(123)
    mix = torch.randn(10, width, generator=g)
    hidden = torch.randn(n, 10, generator=torch.Generator().manual_seed(rank))
    return torch.tanh(hidden @ mix) + 0.05 * torch.randn(n, width, generator=g)


def run(rank, store):
    dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=RANKS)
    torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) // RANKS))
    torch.manual_seed(0)
    x = readings(rank)
    net = DDP(nn.Sequential(nn.Linear(160, 512), nn.ELU(), nn.Linear(512, 10), nn.Linear(10, 512), nn.ELU(), nn.Linear(512, 160)))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    start = time.time()
    for epoch in range(40):
        total = torch.zeros(())
        for idx in torch.randperm(len(x)).split(512):
            loss = nn.functional.mse_loss(net(x[idx]), x[idx])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        if rank == 0 and epoch % 5 == 4:
            print(f"epoch {epoch + 1}: {total.item() * 512 / len(x):.5f} {time.time() - start:.1f} s", flush=True)
    dist.barrier()
    dist.destroy_process_group()
    ended.append(True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(run, args=(os.path.join(folder, "meet"),), nprocs=RANKS)
