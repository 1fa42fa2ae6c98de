"""Stores a model, its loss, optimiser and schedule in every way, between steps and inside a forward, and prints a digest of what came of it.

With "ranks" it is one of several processes; with "fork" children store too.
"""

import atexit
import copy
import hashlib
import io
import os
import pickle
import sys
import warnings
import zipfile

done = []


@atexit.register  # before PyTorch is imported, and so called last
def end():
    """At its end PyTorch 2.15 sometimes aborts a process that used gloo, with or without Vigil: leave that out."""
    if done:
        sys.stdout.flush()
        os._exit(0)


import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)
NEWEST = hasattr(torch.serialization, "safe_globals")
STORE_AT = (0, 1, 3, 4, 9, 12, 13)  # steps; every third is due
SLOW_AT = (1, 3)  # steps at which it is compiled and exported, too: one of them is due


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 8)
        self.act = nn.ReLU()
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(8, 3)

    def forward(self, x):
        return self.out(self.drop(self.act(self.hidden(x))))


class Outer(nn.Module):
    """What the script calls: it stores itself while it runs, which no pickle shows."""

    def __init__(self):
        super().__init__()
        self.net = Net()
        self.cell = nn.GRU(3, 3, batch_first=True)

    def forward(self, x):
        y = self.net(x)
        inside(self)
        return self.cell(y.unsqueeze(0))[0][0]


def shown(place, way, data):
    """What a stored thing is: its digest, and the names in its pickles."""
    if type(data) is bytes:
        names = data
        if data[:2] == b"PK":
            with zipfile.ZipFile(io.BytesIO(data)) as file:
                names = b"".join(file.read(name) for name in file.namelist() if name.endswith((".pkl", ".json", ".py")))
        assert b"vigil" not in names and b"getattr" not in names and b"nullcontext" not in names, (place, way)
        data = hashlib.sha256(data).hexdigest()[:16]
    os.write(1, (" ".join(map(str, place + (way, data))) + "\n").encode())


def saved(thing, **options):
    file = io.BytesIO()
    torch.save(thing, file, **options)
    return file.getvalue()


class Pickler(pickle.Pickler):
    """Tensors by their values: pickle itself has addresses in what it makes of them."""

    def persistent_id(self, thing):
        return (tuple(thing.shape), str(thing.tolist()), thing.requires_grad) if isinstance(thing, torch.Tensor) else None


class PythonPickler(pickle._Pickler):
    persistent_id = Pickler.persistent_id


def pickled(kind, thing, protocol):
    file = io.BytesIO()
    kind(file, protocol).dump(thing)
    return file.getvalue()


def pickles(place, name, thing):
    for protocol in (2, 4):
        shown(place, "%s, pickle %d" % (name, protocol), pickled(Pickler, thing, protocol))
    shown(place, name + ", pickle in Python", pickled(PythonPickler, thing, 2))
    shown(place, name + ", torch.save", saved(thing))


def store(place, net):
    pickles(place, "model", net)
    copied = copy.deepcopy(net)
    pickles(place, "deep copy", copied)
    pickles(place, "copy of a copy", copy.deepcopy(copied))
    pickles(place, "shallow copy", copy.copy(net))
    pickles(place, "averaged", torch.optim.swa_utils.AveragedModel(net).module)
    pickles(place, "again", pickle.loads(pickle.dumps(net)))
    shown(place, "hooks of the copy", [len(m._forward_hooks) + len(m._forward_pre_hooks) for m in copied.modules()])
    shown(place, "weights", saved(net.state_dict()))


def beside(place):
    pickles(place, "loss", criterion)
    pickles(place, "optimiser", optimizer)
    pickles(place, "schedule", scheduler)
    for name, thing in (("loss", criterion), ("optimiser", optimizer), ("schedule", scheduler)):
        pickles(place, "deep copy of the " + name, copy.deepcopy(thing))
    shown(place, "states", saved({"optimiser": optimizer.state_dict(), "schedule": scheduler.state_dict()}))


def own_hook(module, args, output):
    return output * 2


def with_own_hooks(place, net):
    """A model with hooks of the script's own: equal after loading."""
    again = pickle.loads(pickle.dumps(net))
    shown(place, "own hooks", [[hook.__name__ for hook in m._forward_hooks.values()] for m in again.modules()])
    with torch.no_grad():
        shown(place, "with own hooks", again(torch.ones(2, 4)).tolist())


def read(place, net):
    """It is read where only its own classes are allowed."""
    data = saved(net)
    allowed = [Net, Outer, nn.Linear, nn.ReLU, nn.Dropout, nn.GRU, set, torch.nn.modules.activation.ReLU]
    shown(place, "names", sorted(torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data))))
    with torch.serialization.safe_globals(allowed):
        torch.load(io.BytesIO(data), weights_only=True)


def compiled(place, net):
    """TorchScript, torch.export, ONNX."""
    x = torch.ones(2, 4)
    file = io.BytesIO()
    torch.jit.save(torch.jit.script(net), file)
    shown(place, "jit.script", file.getvalue())
    file = io.BytesIO()
    torch.jit.save(torch.jit.script(copy.deepcopy(net)), file)
    shown(place, "jit.script of a copy", file.getvalue())
    shown(place, "jit.trace", torch.jit.trace(net, x, check_trace=False).code)
    if hasattr(torch, "export") and hasattr(torch.export, "export"):
        program = torch.export.export(copy.deepcopy(net), (x,))
        shown(place, "torch.export of a copy", program.graph_module.code)
        program = torch.export.export(net, (x,))
        shown(place, "torch.export", program.graph_module.code)
        file = io.BytesIO()
        torch.export.save(program, file)
        if NEWEST:
            shown(place, "torch.export.save", file.getvalue())
    shown(place, "fx", torch.fx.symbolic_trace(net).code)
    onnx(place, net, x)


def onnx(place, net, x):
    file = io.BytesIO()
    try:
        torch.onnx.export(net, (x,), file, **({"dynamo": False} if NEWEST else {}))
    except ImportError as error:  # newer releases need a package for it
        file.write(str(error).encode())
    except Exception as error:
        if "onnx" not in str(error).lower():
            raise
        file.write(type(error).__name__.encode())
    shown(place, "onnx", file.getvalue())


step = 0
storing = False


def inside(net):
    """Called from the forward."""
    global storing
    if step not in STORE_AT or storing or not torch.is_grad_enabled() or torch.jit.is_tracing():
        return
    storing = True
    try:
        everything("inside", net)
    finally:
        storing = False


def everything(where, net):
    place = rank, step, where
    with torch.random.fork_rng():
        store(place, net)
        beside(place)
        if NEWEST:
            read(place, net)
        if step in SLOW_AT and "fast" not in sys.argv:
            compiled(place, net.net)
        if step >= 2:
            handle = net.net.register_forward_hook(own_hook)
            with_own_hooks(place, net)
            handle.remove()
            pickles(place, "own hooks gone", net)


rank = int(os.environ.get("RANK", "0"))
model, criterion = Outer(), nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 5)
if "ranks" in sys.argv:
    torch.distributed.init_process_group("gloo")
    trained = nn.parallel.DistributedDataParallel(model)
else:
    trained = model
for step in range(14):
    optimizer.zero_grad()
    loss = criterion(trained(torch.randn(8, 4)), torch.randint(3, (8,)))
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step in STORE_AT:
        storing = True
        everything("between", model)
        storing = False
    if "fork" in sys.argv and step in (4, 12):
        child = os.fork()
        if child == 0:
            storing = True
            rank = "child"
            everything("forked", model)
            os._exit(0)
        os.waitpid(child, 0)
if "ranks" in sys.argv:
    done.append(True)
