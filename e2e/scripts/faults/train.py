"""A training that waits for its faults.

Usage: train.py OUT DIR

Before step 50, and again before step 150 of 200, it says so on standard output
and waits until the file DIR/50 or DIR/150 is there: what happens meanwhile, or
up to the next of them, happens in the middle of a training, however fast the
machine is. With DIR/clock this process's clock goes back by a day meanwhile. OUT gets the sha256 of the weights and the 99th percentile of the
time of a step in seconds.
"""

import hashlib
import os
import sys
import time

clock, behind = time.time, [0.0]
time.time = lambda: clock() - behind[0]  # before anybody takes it

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
out, gates = sys.argv[1:]
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
times = []
for step in range(200):
    if step in (50, 150):
        print("before step %d" % step, flush=True)
        while not os.path.exists(os.path.join(gates, str(step))):
            time.sleep(0.01)
        behind[0] = 86400.0 if step == 50 and os.path.exists(os.path.join(gates, "clock")) else 0.0
    began = time.perf_counter()
    x = torch.randn(32, 16)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), x[:, :4].argmax(1))
    loss.backward()
    optimiser.step()
    times.append(time.perf_counter() - began)
with open(out, "w") as f:
    f.write(hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest())
    f.write(" %.6f" % sorted(times)[len(times) * 99 // 100])
