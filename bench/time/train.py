"""One training of bench/time: train.py CASE [measure]. With "measure" it is the instrumented copy: it prints milliseconds by part, after the first steps, as JSON.

With BENCH_DEVICE=cuda it trains on a GPU, and the copy measures by events of the GPU.
"""

import collections
import json
import os
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

case, measure = sys.argv[1], "measure" in sys.argv
FIRST = 20  # steps that count for nothing
torch.manual_seed(0)
torch.set_num_threads(1)
spent, clock = collections.Counter(), time.perf_counter
GPU = os.environ.get("BENCH_DEVICE") == "cuda"
device = "cuda" if GPU else "cpu"
events = []  # (part, before it, after it)


def measured(part, call, *args):
    began = clock()
    out = call(*args)
    spent[part] += clock() - began
    return out


def by_events(part, call, *args):
    before, after = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    before.record()
    out = call(*args)
    after.record()
    events.append((part, before, after))
    return out


def moved(*tensors):
    return [t.to(device) for t in tensors]


def plain(part, call, *args):
    return call(*args)


do = (by_events if GPU else measured) if measure else plain


class Images(Dataset):
    """``work`` rounds of pure Python for each sample."""

    def __init__(self, n, size, work):
        self.n, self.size, self.work = n, size, work

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        x = i
        for _ in range(self.work):
            x = (x * 1103515245 + 12345) % 2147483648
        return torch.full((self.size,), x / 2147483648), i % 10


def network(size, width, deep):
    layers = [torch.nn.Linear(size, width), torch.nn.ReLU()]
    for _ in range(deep):
        layers += [torch.nn.Linear(width, width), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, 10))


# steps, size of a sample, work for it, width, depth, batch, steps between checkpoints
CASES = {
    "data": (200, 32, 4000, 64, 0, 16, 0),
    "compute": (120, 256, 0, 512, 3, 128, 0),
    "small": (4000, 8, 0, 16, 0, 4, 0),
    "checkpoints": (150, 128, 0, 512, 2, 32, 5),
    "ranks": (150, 128, 0, 256, 2, 64, 0),
    "gpu": (300, 1024, 0, 4096, 8, 512, 0),
}
steps, size, work, width, deep, batch, saves = CASES[case]
model = network(size, width, deep).to(device)
distributed = None
if case == "ranks":
    import torch.distributed as distributed

    distributed.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(model)
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
criterion = torch.nn.CrossEntropyLoss()
loader = DataLoader(Images(steps * batch, size, work), batch_size=batch)
batches = do("data", iter, loader)
began = clock()
for n in range(steps):
    x, y = do("data", next, batches)
    if GPU:
        x, y = do("to_device", moved, x, y)
    optimiser.zero_grad()
    out = do("forward", model, x)
    loss = do("forward", criterion, out, y)
    do("backward", loss.backward)
    do("optimizer", optimiser.step)
    ended = clock()
    if n == FIRST - 1:
        if GPU:
            torch.cuda.synchronize()
            ended = clock()
        events.clear()
        spent.clear()
        began = ended
    if n < steps - 1:  # what comes after the last step is in none
        if distributed is not None:
            do("ranks", distributed.all_reduce, loss.detach().clone())
        if saves and n % saves == 0:
            do("checkpoint", torch.save, model.state_dict(), os.devnull)
if GPU:
    torch.cuda.synchronize()
    ended = clock()
    for part, before, after in events:
        spent[part] += before.elapsed_time(after) / 1000
if measure and (distributed is None or distributed.get_rank() == 0):
    spent["other"] = ended - began - sum(spent.values())
    print(json.dumps({part: 1000 * seconds / (steps - FIRST) for part, seconds in spent.items()}), flush=True)
