# fault: ranks-diverge
# cause_class: ranks
# family: distributed
# split: held
"""Data-parallel training without DDP: average the gradients by hand, two processes with gloo."""
import atexit
import os
import socket
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

SEED = int(os.environ.get("SEED", "0"))
WORLD = 2


def data():
    g = torch.Generator().manual_seed(SEED)
    x = torch.randn(2000, 10, generator=g)
    y = torch.sin(x[:, :1] * 2) + x[:, 1:2] * x[:, 2:3] + 0.1 * torch.randn(2000, 1, generator=g)
    return x, y


def average_gradients(model):
    for p in model.parameters():
        dist.all_reduce(p.grad, op=dist.ReduceOp.SUM)
        p.grad /= WORLD


def worker(rank, store):
    dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=WORLD)
    torch.manual_seed(SEED + rank)
    x, y = data()
    x, y = x[rank::WORLD], y[rank::WORLD]
    model = nn.Sequential(nn.Linear(10, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    step = 0
    for epoch in range(8):
        for idx in torch.randperm(len(x)).split(32):
            loss = ((model(x[idx]) - y[idx]) ** 2).mean()
            opt.zero_grad()
            loss.backward()
            average_gradients(model)
            opt.step()
            step += 1
        full = ((model(x) - y) ** 2).mean().detach()
        w = model[0].weight.detach().norm()
        print(f"rank {rank} epoch {epoch} step {step} loss {full.item():.4f} |W0| {w.item():.4f}", flush=True)
    dist.destroy_process_group()
    ended.append(True)


if __name__ == "__main__":
    store = os.path.join(tempfile.mkdtemp(), "rendezvous")
    mp.spawn(worker, args=(store,), nprocs=WORLD, join=True)
