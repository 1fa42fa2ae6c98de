"""What each always-on part of the hook takes of a quick step, in the training's own process.

    vigil run --rules none --every 1000000000 -- python bench/overhead/parts.py

An MLP of some 1.3 ms a step, as in work.py, in which nothing is due. The functions of each part are
wrapped by a clock; what one clock takes is measured and left out, and what a part calls of another
one is that one's. Where a function looks at the line that called it, no clock can be put: it is what is
left of the hook's own sum. What PyTorch takes to call a hook is not among them: "empty hooks" of
bench/overhead says that. Prints microseconds a step, the median of turns.
"""

import collections
import statistics
import time

import torch
from torch import nn

STEPS, TURNS, WARMUP = 200, 25, 600

torch.set_num_threads(1)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
inputs, labels = torch.randn(64, 16, 784), torch.randint(0, 10, (64, 16))

spent = collections.defaultdict(float)  # seconds by part
calls = collections.Counter()
stack = []  # of [part, seconds of what it called]
now = time.perf_counter


def clocked(part, function):
    def wrapper(*args, **kwargs):
        stack.append([part, 0.0])
        began = now()
        try:
            return function(*args, **kwargs)
        finally:
            took = now() - began
            _, inner = stack.pop()
            spent[part] += took - inner
            calls[part] += 1
            if stack:
                stack[-1][1] += took
    return wrapper


def watch():
    """Wrap the parts of the hook, where it has one."""
    import vigil._torch as hook
    from vigil._torch.fast_path import FastPath
    from vigil._values import Values

    for name, part in (("forward", "forward begins"), ("before", "optimiser begins"), ("after", "optimiser ends")):
        setattr(FastPath, name, clocked(part, getattr(FastPath, name)))
    for name in ("closed", "scalar", "step"):
        setattr(Values, name, clocked("publishing the step and its loss", getattr(Values, name)))
    marks = hook._tracker.marks
    for name in ("begins", "ends"):
        setattr(marks, name, clocked("times of the parts of a step", getattr(marks, name)))
    type(marks).step = clocked("times of the parts of a step", type(marks).step)


def train(n):
    for i in range(n):
        optimizer.zero_grad()
        loss = criterion(model(inputs[i % 64]), labels[i % 64])
        loss.backward()
        optimizer.step()


def clock_takes():
    """Seconds that a clock adds to the part it is of, and to the one that calls it."""
    empty = clocked("none", lambda: None)
    began = now()
    for _ in range(20000):
        empty()
    return (now() - began) / 20000, spent.pop("none") / calls.pop("none")


def turn():
    began = now()
    train(STEPS)
    return now() - began


def own_sum():
    """Nanoseconds that the hook says it took so far."""
    from vigil import _torch as hook

    return hook._tracker.session._captured_ns


train(WARMUP)
bare, sums = [], []
for _ in range(TURNS):
    before = own_sum()
    bare.append(turn() / STEPS * 1e6)
    sums.append((own_sum() - before) / STEPS / 1e3)
watch()
train(WARMUP)
_, own = clock_takes()
turns = collections.defaultdict(list)
for _ in range(TURNS):
    spent.clear()
    calls.clear()
    turn()
    for part in spent:
        turns[part].append((spent[part] - calls[part] * own) / STEPS * 1e6)
print("| part | µs a step |\n| --- | --- |")
known = {part: statistics.median(values) for part, values in turns.items()}
known["value of the loss, where backward was called, and what lies between"] = statistics.median(sums) - sum(known.values())
for part, microseconds in known.items():
    print("| %s | %.1f |" % (part, microseconds))
print("| **all of it, as the hook counts it** | %.1f |" % statistics.median(sums))
print("| the whole step | %.0f |" % statistics.median(bare))
