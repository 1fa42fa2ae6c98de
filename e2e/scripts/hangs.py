"""Two ranks: after five steps rank 1 does not come back from reading a batch, with the interpreter's lock held, and rank 0 waits for it."""

import ctypes

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
dist.init_process_group("gloo")
rank = dist.get_rank()
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def read_batch(step, batch):
    if rank == 1 and step == 5:
        print("rank 1 hangs", flush=True)
        libc, mutex = ctypes.PyDLL(None), ctypes.create_string_buffer(64)
        libc.pthread_mutex_lock(mutex)
        libc.pthread_mutex_lock(mutex)
    return batch


def average_gradients():
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= 2


x = torch.randn(64, 4)
for step, batch in enumerate(DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4, num_workers=1)):
    a, b = read_batch(step, batch)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(a), b).backward()
    average_gradients()
    optimizer.step()
