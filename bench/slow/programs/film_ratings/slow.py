"""Predicts ratings of films from who watched what; several processes share the work with DistributedDataParallel."""
import atexit
import os
import tempfile
import time

finished = []


@atexit.register
def leave():  # registered before PyTorch's own, so that it runs last: gloo may abort while a process ends
    if finished:
        os._exit(0)


import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DistributedSampler

WORLD = 2
THREADS = 16
USERS, FILMS = 3000, 1200


def ratings(n=65536):
    g = torch.Generator().manual_seed(42)
    u = torch.randint(USERS, (n,), generator=g)
    f = torch.randint(FILMS, (n,), generator=g)
    taste = torch.randn(USERS, 6, generator=g)
    kind = torch.randn(FILMS, 6, generator=g)
    stars = 3.5 + 0.5 * (taste[u] * kind[f]).sum(1) + 0.3 * torch.randn(n, generator=g)
    return u, f, stars.clamp(1, 5)


class Recommender(nn.Module):
    def __init__(self, dim=64, hidden=768):
        super().__init__()
        self.users = nn.Embedding(USERS, dim)
        self.films = nn.Embedding(FILMS, dim)
        self.net = nn.Sequential(
            nn.Linear(3 * dim, hidden), nn.ReLU(), nn.Dropout(0.1),
            nn.Linear(hidden, hidden), nn.ReLU(), nn.Dropout(0.1),
            nn.Linear(hidden, 1),
        )

    def forward(self, user, film):
        u, f = self.users(user), self.films(film)
        return 3.0 + self.net(torch.cat([u, f, u * f], 1)).squeeze(1)


def worker(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=WORLD)
    torch.set_num_threads(THREADS)
    torch.manual_seed(rank)
    users, films, stars = ratings()
    sampler = DistributedSampler(stars, num_replicas=WORLD, rank=rank, shuffle=True)
    model = DistributedDataParallel(Recommender())
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-4)
    criterion = nn.MSELoss()
    start = time.time()
    for epoch in range(2):
        sampler.set_epoch(epoch)
        total = 0.0
        batches = torch.tensor(list(sampler)).split(256)
        for rows in batches:
            optimizer.zero_grad()
            loss = criterion(model(users[rows], films[rows]), stars[rows])
            loss.backward()
            optimizer.step()
            total += loss.item()
        if rank == 0:
            print(f"epoch {epoch}: mse {total / len(batches):.4f}  {time.time() - start:.1f} s", flush=True)
    dist.barrier()
    dist.destroy_process_group()
    finished.append(rank)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(worker, args=(os.path.join(folder, "store"),), nprocs=WORLD)
