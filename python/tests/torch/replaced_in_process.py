"""Trains with Vigil, and prints what it replaced, hooked and set in the process meanwhile, as JSON.

The first argument is the agent's socket; the second, if it is there, a name in
the table of what is replaced per line.
"""

import builtins
import copy
import gc
import importlib
import json
import os
import pickle
import random
import signal
import sys
import threading
import types

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
NAMES = sys.argv[2:]
CALLABLE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)


def modules():
    """Modules of PyTorch, and those of Python that a hook may be tempted to change."""
    own = [builtins, copy, gc, os, pickle, random, signal, sys, threading, importlib]
    return [m for n, m in list(sys.modules.items()) if (n == "torch" or n.startswith("torch.")) and isinstance(m, types.ModuleType)] + own


kinds = {}  # id -> class


def inherited(key):
    """Whether what a class has under a name hides what it inherits."""
    kind, name = kinds.get(key[0]), key[1]
    return kind is not None and any(name in vars(base) for base in kind.__mro__[1:])


def callables():
    """(id of module or class, attribute) -> (name, what it is)."""
    out, classes = {}, {}
    for m in modules():
        for name, value in list(vars(m).items()):
            if isinstance(value, CALLABLE):
                out[id(m), name] = ("%s.%s" % (m.__name__, name), value)
            if isinstance(value, type) and str(value.__module__).startswith("torch"):
                classes[id(value)] = value
    kinds.update(classes)
    for kind in classes.values():
        for name, value in list(vars(kind).items()):
            if isinstance(value, CALLABLE + (staticmethod, classmethod)):
                out[id(kind), name] = ("%s.%s.%s" % (kind.__module__, kind.__qualname__, name), value)
    return out


def hooks():
    """Global hooks that are there: the names of PyTorch's dicts."""
    at = torch.nn.modules.module, importlib.import_module("torch.optim.optimizer")
    return {n for m in at for n, v in vars(m).items() if n.startswith("_global") and isinstance(v, dict) and v}


def settings():
    """Process-wide settings."""
    return {
        "collector": [gc.isenabled(), gc.get_threshold(), len(gc.callbacks), gc.get_freeze_count(), gc.get_debug()],
        "tracing": [repr(sys.gettrace()), repr(sys.getprofile())],
        "errors": [repr(sys.excepthook), repr(threading.excepthook), repr(sys.unraisablehook)],
        "signals": [repr(signal.getsignal(s)) for s in range(1, 32)],
        "recursion": sys.getrecursionlimit(),
        "switching": sys.getswitchinterval(),
        "imports": [[repr(f) for f in sys.meta_path], [repr(f) for f in sys.path_hooks]],
        "torch": [torch.get_num_threads(), torch.get_default_dtype().__repr__(), torch.is_anomaly_enabled(), torch.are_deterministic_algorithms_enabled()],
    }


class Net(nn.Module):
    """Looks around itself in its first forwards of each mode."""

    def __init__(self):
        super().__init__()
        self.one, self.drop, self.two = nn.Linear(6, 8), nn.Dropout(0.2), nn.Linear(8, 3)

    def forward(self, x):
        now_and_then("forward, training: %s" % self.training)
        return self.two(F.relu(self.drop(self.one(x))))


def now_and_then(place):
    """Going through everything takes long: the first times at each place."""
    looked[place] = looked.get(place, 0) + 1
    if looked[place] <= 3:
        look()


def train():
    model = Net()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimiser)
    data = torch.utils.data.TensorDataset(torch.randn(64, 6), torch.randint(3, (64,)))
    criterion = nn.CrossEntropyLoss()
    for _ in range(12):
        for x, y in torch.utils.data.DataLoader(data, 16):
            optimiser.zero_grad()
            criterion(model(x), y).backward()
            now_and_then("backward")
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
        model.eval()
        with torch.no_grad():
            now_and_then("evaluation")
            schedule.step(F.cross_entropy(model(data.tensors[0]), data.tensors[1]))
        model.train()


seen, lit, looked = {}, set(), {}
look = lambda: None  # noqa: E731  until there is something to compare with
train()  # what PyTorch makes of itself when it is first used is there then
torch.save({}, os.devnull)
before, hooked, was = callables(), hooks(), settings()
there = set(kinds)  # classes that are there without Vigil
named = {}
for name in NAMES:
    if name.startswith("torch.amp.") and not hasattr(torch.amp, "GradScaler"):
        name = name.replace("torch.amp.", "torch.cuda.amp.")
    owner, parts = torch, name.split(".")[1:]
    try:
        for part in parts:
            owner = getattr(owner, part)
    except AttributeError:
        continue  # not in this release
    named[name] = owner
found, tools, recoded = set(), {None}, set()
codes = {name: (f, f.__code__) for name, f in vars(F).items() if isinstance(f, types.FunctionType)}


def look():  # noqa: F811  it takes the place of the one that does nothing
    for key, (name, value) in callables().items():
        if key in before and before[key][1] is not value:
            original = before[key][1]
            known = [n for n, o in named.items() if o is original]
            found.add((known[0] if known else name, bool(known)))
        elif key not in before and key[0] in there and inherited(key):
            found.add((name, name in NAMES))
    lit.update(hooks() - hooked)
    if hasattr(sys, "monitoring"):
        tools.update(sys.monitoring.get_tool(n) for n in range(6))
    recoded.update(name for name, (f, code) in codes.items() if f.__code__ is not code)
    now = settings()
    seen.update({n: [was[n], now[n]] for n in was if now[n] != was[n]})


os.environ["VIGIL_SOCKET"] = sys.argv[1]
from vigil import _torch

tracker = _torch.install()
looked.clear()
look()
train()
look()
result = {"replaced": sorted(found), "hooks": sorted(lit), "settings": seen, "steps": tracker.counter.next, "tools": sorted(tools - {None}), "recoded": sorted(recoded), "there": sorted(named)}
print(json.dumps(result))
