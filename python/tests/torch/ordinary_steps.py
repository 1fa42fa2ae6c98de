"""Ordinary steps by the hundred, and every way in which a step can stop being ordinary in its midst.

With LANE=0 all of them go the general way. Prints how many took the lane.
"""

import gc
import os

import torch
import torch.nn.functional as F
from torch import nn

from vigil import _ring
from vigil._torch import fast_path

wait_for = _ring.Ring.wait_for
_ring.Ring.wait_for = lambda ring, there, holder, seconds=None: wait_for(ring, there, holder, 60.0)  # a busy machine is no reason to leave out what is due
taken = [0]
after = fast_path.FastPath.after


def count(self, optimiser):
    done = after(self, optimiser)
    taken[0] += done
    return done


fast_path.FastPath.after = count
if os.environ.get("LANE") == "0":
    fast_path.FastPath.consider = lambda self, step, outputs, site, node: None

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))
optimiser = torch.optim.SGD(model.parameters(), lr=0.05)
criterion = nn.CrossEntropyLoss() if os.environ.get("CRITERION") else F.cross_entropy
x = torch.randn(16, 6)
y = torch.randint(3, (16,))


def step(factor=1.0):
    optimiser.zero_grad()
    loss = criterion(model(x), y)
    (loss * factor if factor != 1.0 else loss).backward()
    optimiser.step()


def ordinary(n=40):
    for _ in range(n):
        step()


def evaluate():
    model.eval()
    with torch.no_grad():
        criterion(model(x), y)
    model.train()


ordinary(100)
evaluate()  # between two steps
ordinary()
criterion(model(x), y)  # a forward that leads to nothing
ordinary()
evaluate()
evaluate()
ordinary()
optimiser.zero_grad()  # an evaluation between forward and backward
loss = criterion(model(x), y)
evaluate()
loss.backward()
optimiser.step()
ordinary()
for _ in range(3):  # accumulated gradients, from two places
    criterion(model(x), y).backward()
criterion(model(-x), y).backward()
optimiser.step()
ordinary()
step(0.5)  # a loss with a factor
ordinary()
try:  # a backward that fails
    loss = criterion(model(x), y)
    loss.backward()
    loss.backward()
except RuntimeError:
    pass
ordinary()
optimiser.zero_grad()  # an update without a loss
model(x)
optimiser.step()
ordinary()


def closure():
    optimiser.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    return loss


optimiser.step(closure)
ordinary()
other = torch.optim.SGD(model[2].parameters(), lr=0.01)  # a second optimiser
loss = criterion(model(x), y)
loss.backward()
optimiser.step()
other.step()
ordinary()
del other
gc.collect()  # or it is gone at one time or another
second = nn.Linear(6, 3)  # a second model, with an optimiser of its own
optimiser2 = torch.optim.SGD(second.parameters(), lr=0.01)
for _ in range(3):
    step()
    optimiser2.zero_grad()
    F.mse_loss(second(x), x[:, :3]).backward()
    optimiser2.step()
    gc.collect()
print("lane %d" % taken[0])
