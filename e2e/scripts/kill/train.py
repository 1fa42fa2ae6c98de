"""A training that is going to be killed, and says what was acknowledged.

Usage: train.py SIDE STEPS

The training is an ordinary one. Beside it the script writes a line to the file
SIDE at every step: the step, its loss, and the last step whose values the agent
had acknowledged by then. A line that was written survives the death of this
process, so what SIDE calls acknowledged has to be in the store afterwards.
"""

import os
import struct
import sys
import time

import torch
from torch import nn

torch.manual_seed(0)
side = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
os.write(side, b"pid %d\n" % os.getpid())
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)


def counters():
    """Records published and records acknowledged, from the ring's header."""
    session = sys.modules.get("vigil._session")
    current = session and session._current
    if not current or not current.ring:
        return 0, 0
    header = os.pread(current.ring.fd, 512, 0)
    return struct.unpack_from("<Q", header, 128)[0], struct.unpack_from("<Q", header, 264)[0]


heads, acknowledged = [], -1
for step in range(int(sys.argv[2])):
    x = torch.randn(32, 16)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), x[:, :4].argmax(1))
    loss.backward()
    optimiser.step()
    head, acked = counters()
    heads.append(head)
    while acknowledged + 1 < step and 0 < heads[acknowledged + 1] <= acked:
        acknowledged += 1
    os.write(side, b"step %d %.9g %d\n" % (step, loss.item(), acknowledged))
    time.sleep(0.002)
os.write(side, b"end\n")
