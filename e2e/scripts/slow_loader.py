"""Trains until it is stopped, with two loader workers and a slow line in the script; prints the number of each tenth step."""

import os
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 10**6

    def __getitem__(self, i):
        return read(i), i % 2


def read(i):
    time.sleep(0.001)
    return torch.randn(8)


def log_metrics():
    time.sleep(0.02)


if os.environ.get("WAIT_FOR"):
    print("waiting", flush=True)
    while not os.path.exists(os.environ["WAIT_FOR"]):
        time.sleep(0.05)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()
most = int(sys.argv[1]) if len(sys.argv) > 1 else 10**9
for step, (a, b) in enumerate(DataLoader(Slow(), batch_size=4, num_workers=2)):
    if step == most:
        break
    optimizer.zero_grad()
    criterion(model(a), b).backward()
    optimizer.step()
    log_metrics()
    if step % 10 == 0:
        print("step", step, flush=True)
