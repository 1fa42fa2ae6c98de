"""A training in which our own code raises at every place it can, one after another.

Run as a script with the seed as its argument. A trace function raises at the
n-th line that is executed in vigil/_torch, then at a later one, and so on. The
functions of WALL only pass calls through, like the guard itself; nothing can
stand between them and the script.
"""

import linecache
import os
import random
import re
import sys

import torch
from torch import nn

from vigil import _guard

WALL = {("backward.py", "backward"), ("optimisers.py", "step"), ("optimisers.py", "wrapped"), ("optimisers.py", "init"),
        ("discover.py", "compile"), ("updates.py", "followed"), ("function_places.py importlib._bootstrap", "function")}  # fmt: skip
ON = os.environ.get("VIGIL") != "0"
torch.set_num_threads(1)
_COMPREHENSION = re.compile(r"[\[{].* for .* in ")
rng = random.Random(int(sys.argv[1]))
_guard.LIMIT = 1 << 30
_guard.strict = False
injected = [0]
countdown = [0]


def trace(frame, event, arg):
    code = frame.f_code
    directory, name = os.path.split(code.co_filename)
    if event != "call" or os.path.basename(directory) != "_torch" or (name, code.co_name) in WALL:
        return None
    return lines


def lines(frame, event, arg):
    # A block's "with" is met once more on the way out, between the block and what ends it, where nothing of Python's can raise.
    # Nor can it inside of a comprehension: from Python 3.12 on what is raised there by a trace passes the "with" around it by.
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).lstrip() if event == "line" else "with "
    if not line.startswith("with ") and not _COMPREHENSION.search(line):
        countdown[0] -= 1
        if countdown[0] <= 0:
            injected[0] += 1
            raise RuntimeError("injected into %s line %d" % (frame.f_code.co_name, frame.f_lineno))
    return lines


def arm():
    """A trace function that raised is gone: set it again."""
    countdown[0] = rng.randint(1, 150)
    if ON:
        sys.settrace(trace)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
criterion = nn.CrossEntropyLoss()
optimisers = [torch.optim.Adam(model.parameters(), lr=1e-3), torch.optim.LBFGS(model.parameters(), lr=1e-2, max_iter=2)]
for i in range(150):
    arm()
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    optimiser = optimisers[i >= 100]

    def closure():
        optimiser.zero_grad()
        loss = criterion(model(x), y)
        arm()
        (loss / 2).backward()
        return loss

    if i >= 100:
        optimiser.step(closure)
    else:
        closure()
        arm()
        optimiser.step()
    if i % 10 == 9:
        model.eval()
        with torch.no_grad():
            criterion(model(x), y)
        model.train()
sys.settrace(None)
import hashlib

print("injected %d" % injected[0])
print("digest", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest())
