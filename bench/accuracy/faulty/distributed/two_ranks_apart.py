# fault: ranks-diverge
# cause_class: ranks
# family: distributed
# split: tune
"""Data-parallel training on two processes with hand-averaged gradients."""
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
import torch.nn as nn


def worker(rank, world, store):
    dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=world)
    torch.set_num_threads(1)
    torch.manual_seed(int(os.environ.get("SEED", 0)) + rank)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    centers = torch.linspace(-1, 1, 24).reshape(3, 8)
    for step in range(120):
        y = torch.randint(3, (32,))
        x = centers[y] + 0.3 * torch.randn(32, 8)
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        for p in model.parameters():
            dist.all_reduce(p.grad)
            p.grad /= world
        opt.step()
        if rank == 0 and step % 20 == 0:
            print("step", step, "loss", loss.item(), flush=True)
    dist.destroy_process_group()
    ended.append(True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(worker, (2, os.path.join(folder, "store")), nprocs=2)
