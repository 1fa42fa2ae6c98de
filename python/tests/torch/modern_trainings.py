"""Trainings of today, each in a process of its own that one process with PyTorch forks. Prints name and pid of each.

With VIGIL_E2E_OUT set, each leaves a digest of its weights. What is captured of
them is in test_modern_trainings.py. The arguments are the names of the cases to run,
all without any.
"""

import gc
import hashlib
import itertools
import os
import sys
import threading
import time
import traceback
import weakref

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "e2e", "scripts"))

import quick_end
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

STEPS = 12
RELEASE = tuple(int(n) for n in torch.__version__.split(".")[:2])
CASES = {}
KEPT = []


def case(fn):
    CASES[fn.__name__] = fn
    return fn


def since(*release):
    """A case of that release of PyTorch and later ones: before, there is not what it is about."""
    return case if RELEASE >= release else lambda function: function


def data(n=32, features=6, classes=3):
    for _ in range(STEPS):
        yield torch.randn(n, features), torch.randint(classes, (n,))


class Net(nn.Module):
    """A block, a head, and perhaps the loss, of which any may be computed again in backward."""

    def __init__(self, again=(), reentrant=False):
        super().__init__()
        self.stem = nn.Linear(6, 6)
        self.block = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Dropout(0.2), nn.BatchNorm1d(8))
        self.head = nn.Linear(8, 3)
        self.criterion = nn.CrossEntropyLoss()
        self.again, self.reentrant = again, reentrant

    def run(self, name, *args):
        part = getattr(self, name)
        return checkpoint(part, *args, use_reentrant=self.reentrant) if name in self.again else part(*args)

    def forward(self, x, y=None):
        out = self.run("head", self.run("block", self.stem(x)))
        return out if y is None else self.run("criterion", out, y)


def train(model, loss=None, batches=None, optimiser=None):
    """Train as usual; what the weights were in the end."""
    optimiser = optimiser or torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in batches or data():
        optimiser.zero_grad()
        (model(x, y) if loss is None else loss(model(x), y)).backward()
        optimiser.step()
    return list(model.parameters())


# Activations that are computed again in backward.


@case
def checkpointed():
    return train(Net(("block",)), F.cross_entropy)


@case
def checkpointed_reentrant():
    return train(Net(("block",), True), F.cross_entropy)


@case
def checkpointed_all_and_loss():
    return train(Net(("block", "head", "criterion")))


@case
def checkpointed_all_and_loss_reentrant():
    return train(Net(("block", "head", "criterion"), True))


@case
def checkpointed_from_outside():
    model = Net()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in data():
        optimiser.zero_grad()
        F.cross_entropy(checkpoint(model, x, use_reentrant=False), y).backward()
        optimiser.step()
    return list(model.parameters())


@case
def checkpointed_from_outside_reentrant():
    model = Net()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in data():
        optimiser.zero_grad()
        F.cross_entropy(checkpoint(model, x.requires_grad_(), use_reentrant=True), y).backward()
        optimiser.step()
    return list(model.parameters())


@case
def checkpointed_gradients_by_function():
    model = Net(("block",))
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in data():
        for p, g in zip(model.parameters(), torch.autograd.grad(F.cross_entropy(model(x), y), list(model.parameters()))):
            p.grad = g
        optimiser.step()
    return list(model.parameters())


@case
def checkpoint_wrapper():
    from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper as wrapped

    model = Net()
    model.block = wrapped(model.block)
    return train(model, F.cross_entropy)


@case
def patient_at_first():
    """What the first steps may wait for the agent is gone when they are over."""
    from vigil import _session

    model = Net()
    for i in range(4):
        out = train(model, F.cross_entropy)
        session = _session.current()
        assert session is None or (0 <= session.ring.patience <= 2.0 and (i < 3 or session.ring.patience == 0.0))
    return out


# Models that are rebuilt while they train.


def planned():
    """Wait until the plan names every parameter and gradient that was announced: from then on all are due at every step.

    An agent needs a few milliseconds for that, on a busy machine as many as it
    needs. What modules give follows the module's schedule and is named by no
    plan of the tests' agent.
    """
    from vigil import _session, _torch

    session = _session.current()
    if session is None:
        return
    ids = {e.id for e in _torch.current().publisher.frames.entries}
    end = time.monotonic() + 300
    while not ids <= set((session._next_plan or session.plan).tensors):
        assert time.monotonic() < end, "no plan names %s" % sorted(ids - set(session.plan.tensors))
        time.sleep(0.001)


def rebuilt(model, change, steps=2 * STEPS):
    """Train with change(model, optimiser) after a third of the steps; it may give a new optimiser."""
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for i in range(steps):
        if i == steps // 3:
            optimiser = change(model, optimiser) or optimiser
        x, y = next(data())
        optimiser.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimiser.step()
        planned()
    return list(model.parameters())


@since(2, 0)
def part_replaced():
    def change(model, optimiser):
        old = weakref.ref(model.head)
        model.head = nn.Linear(8, 3)
        optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
        gc.collect()
        assert old() is None, "something keeps the old head"
        return optimiser

    return rebuilt(Net(), change)


@since(2, 0)
def part_replaced_by_another_shape():
    def change(model, optimiser):
        model.head = nn.Linear(8, 5)
        optimiser.add_param_group({"params": model.head.parameters()})

    return rebuilt(Net(), change)


@since(2, 0)
def parts_added():
    class Grown(Net):
        def forward(self, x):
            out = super().forward(x)
            return self.extra(out) * self.scale if hasattr(self, "extra") else out

    def change(model, optimiser):
        model.extra = nn.Sequential(nn.Linear(3, 3))
        model.scale = nn.Parameter(torch.ones(3))
        optimiser.add_param_group({"params": [*model.extra.parameters(), model.scale]})

    return rebuilt(Grown(), change)


@case
def part_taken_out():
    def change(model, optimiser):
        model.stem = nn.Identity()

    return rebuilt(Net(), change)


@since(2, 1)
def parametrised_late():
    def change(model, optimiser):
        nn.utils.parametrizations.weight_norm(model.head)
        return torch.optim.SGD(model.parameters(), lr=0.1)

    return rebuilt(Net(), change)


@case
def second_model_added():
    first, second = nn.Sequential(nn.Linear(6, 6), nn.Tanh()), nn.Linear(6, 3)
    optimiser = torch.optim.SGD(first.parameters(), lr=0.1)
    for i in range(2 * STEPS):
        if i == STEPS:
            optimiser.add_param_group({"params": second.parameters()})
        x, y = next(data())
        optimiser.zero_grad()
        F.cross_entropy(second(first(x)), y).backward()
        optimiser.step()
        planned()
    return [*first.parameters(), *second.parameters()]


def in_rounds(first, second):
    """Two models take turns; in the midst one of their optimisers, or both, is made again: first(i), second(i) tell when."""
    models = nn.Linear(6, 3), nn.Linear(6, 3, bias=False)
    optimisers = [None, None]
    for i in range(STEPS):
        x, y = next(data())
        for k, anew in enumerate((first, second)):
            if i == 0 or anew(i):
                optimisers[k] = None  # the old one goes before the new one comes
                optimisers[k] = torch.optim.SGD(models[k].parameters(), lr=0.1)
        for model, optimiser in zip(models, optimisers):
            optimiser.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimiser.step()
    return [p for model in models for p in model.parameters()]


@case
def first_optimiser_anew():
    return in_rounds(lambda i: i == 5, lambda i: False)


@case
def second_optimiser_anew():
    return in_rounds(lambda i: False, lambda i: i == 5)


@case
def second_optimiser_anew_in_each_round():
    return in_rounds(lambda i: False, lambda i: True)


@case
def both_optimisers_anew():
    return in_rounds(lambda i: i == 5, lambda i: i == 5)


# Models and loops of other kinds.


@since(2, 0)
def ensemble():
    """Three networks at once by vmap; their weights are in no module."""
    from torch.func import functional_call, stack_module_state, vmap

    parameters, buffers = stack_module_state([nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3)) for _ in range(3)])
    base = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3)).to("meta")
    optimiser = torch.optim.SGD(parameters.values(), lr=0.1)
    for x, y in data():
        optimiser.zero_grad()
        out = vmap(lambda p, b: functional_call(base, (p, b), (x,)))(parameters, buffers)
        F.cross_entropy(out.flatten(0, 1), y.repeat(3)).backward()
        optimiser.step()
    return list(parameters.values())


@since(2, 0)
def called_with_other_weights():
    """functional_call puts other tensors in the place of the weights for one call: those of the optimiser are captured."""
    from torch.func import functional_call

    model = Net()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in data():
        optimiser.zero_grad()
        halved = {name: p * 0.5 for name, p in model.named_parameters()}
        (F.cross_entropy(model(x), y) + 0.1 * functional_call(model, halved, (x,)).pow(2).mean()).backward()
        optimiser.step()
    return list(model.parameters())


class Kinds(nn.Module):
    """Weights of every kind next to a float32 layer."""

    def __init__(self):
        super().__init__()
        self.frozen = nn.Parameter(torch.randn(6, 6).to(torch.float8_e4m3fn), requires_grad=False)
        self.narrow = nn.Parameter(torch.randn(6, 6).to(torch.bfloat16))
        self.absent = nn.Linear(2, 2, device="meta")
        self.block = nn.Conv2d(1, 4, 3).to(memory_format=torch.channels_last)
        self.head = nn.Linear(64, 3)

    def forward(self, x):
        x = x @ self.frozen.float() + (x.to(torch.bfloat16) @ self.narrow).float()
        images = x.reshape(-1, 1, 6, 1).expand(-1, 1, 6, 6).contiguous(memory_format=torch.channels_last)
        return self.head(self.block(images).flatten(1)), torch.quantize_per_tensor(x.detach(), 0.1, 0, torch.qint8)


@since(2, 1)
def kinds_of_weights():
    torch.backends.mkldnn.enabled = False  # or a release without oneDNN for this processor would sum in another order
    model = Kinds()
    real = [p for p in model.parameters() if not p.is_meta]
    train(model, lambda out, y: F.cross_entropy(out[0], y), optimiser=torch.optim.SGD([p for p in real if p.requires_grad], lr=0.1))
    return real


@case
def parameter_groups():
    model = Net()
    groups = [{"params": model.block.parameters(), "lr": 0.01}, {"params": [*model.stem.parameters(), *model.head.parameters()], "weight_decay": 0.1}]
    return train(model, F.cross_entropy, optimiser=torch.optim.AdamW(groups, lr=1e-3))


@case
def in_a_thread():
    out = []
    thread = threading.Thread(target=lambda: out.extend(train(Net(), F.cross_entropy)))
    thread.start()
    thread.join()
    return out


class Many(nn.Module):
    def __init__(self, n=2000):
        super().__init__()
        self.small = nn.ParameterList([nn.Parameter(torch.randn(4) / n) for _ in range(n)])

    def forward(self, x):
        return torch.stack(list(self.small)).sum(0)[:3] + x[:, :3]


@case
def very_many_parameters():
    return train(Many(), F.cross_entropy)


@case
def twenty_thousand_parameters():
    return train(Many(20000), F.cross_entropy, itertools.islice(data(), 3))


class Waves(nn.Module):
    """Complex weights, and an embedding with a sparse gradient."""

    def __init__(self):
        super().__init__()
        self.wave = nn.Parameter(torch.randn(6, 8, dtype=torch.complex64))
        self.words = nn.Embedding(5, 8, sparse=True)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        return self.head((x.to(torch.complex64) @ self.wave).abs() + self.words((x[:, 0].abs() * 2).long().clamp(max=4)))


@case
def complex_and_sparse():
    return train(Waves(), F.cross_entropy)


@case
def closure_called_many_times():
    model = Net()
    optimiser = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=4)
    for x, y in data():

        def closure():
            optimiser.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            return loss

        optimiser.step(closure)
    return list(model.parameters())


@case
def updated_by_hand():
    """No optimiser of torch.optim: nothing announces the update."""
    model = Net()
    for x, y in data():
        F.cross_entropy(model(x), y).backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.1 * p.grad
                p.grad = None
    KEPT.append(model)  # to the end of the process, as by a script
    return list(model.parameters())


@case
def plain_tensors_by_hand():
    """Neither a module nor an optimiser; before it a graph that belongs to no training."""
    other = torch.tensor(2.0, requires_grad=True)
    (other**2).backward()
    slope = torch.randn(6, 3, requires_grad=True)
    parts = [torch.zeros(3, requires_grad=True), torch.ones(3, requires_grad=True)]
    for x, y in data():
        loss = F.cross_entropy(parts[1] * torch.tanh(x @ slope) + parts[0], y)
        loss.backward()
        with torch.no_grad():
            for p in [slope] + parts:
                p -= 0.1 * p.grad
                p.grad = None
    KEPT.append([slope] + parts)
    return [slope] + parts


@case
def gradients_returned_to_plain_tensors():
    """As above, with torch.autograd.grad in the place of backward."""
    slope = torch.randn(6, 3, requires_grad=True)
    offset = torch.zeros(3, requires_grad=True)
    for x, y in data():
        gradients = torch.autograd.grad(F.cross_entropy(torch.tanh(x @ slope) + offset, y), [slope, offset])
        with torch.no_grad():
            for p, g in zip([slope, offset], gradients):
                p -= 0.1 * g
    KEPT.append([slope, offset])
    return [slope, offset]


@case
def gradients_returned_to_a_module():
    model = Net()
    for x, y in data():
        gradients = torch.autograd.grad(F.cross_entropy(model(x), y), model.parameters())
        with torch.no_grad():
            for p, g in zip(model.parameters(), gradients):
                p.add_(g, alpha=-0.1)
    KEPT.append(model)
    return list(model.parameters())


@case
def gradients_returned_for_an_optimiser():
    model = Net()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in data():
        for p, g in zip(model.parameters(), torch.autograd.grad(F.cross_entropy(model(x), y), list(model.parameters()))):
            p.grad = g
        optimiser.step()
    return list(model.parameters())


@case
def gradients_of_an_inner_loop():
    """What torch.autograd.grad returns is no update where backward makes one."""
    model = Net()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in data():
        inner = torch.autograd.grad(F.cross_entropy(model(x), y) * 100, list(model.parameters()))
        with torch.no_grad():
            for p, g in zip(model.parameters(), inner):
                p -= 0.001 * g
        optimiser.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        print(float(loss))
        with torch.no_grad():
            for p, g in zip(model.parameters(), inner):
                p += 0.001 * g
        optimiser.step()
    return list(model.parameters())


def trained_elsewhere(method):
    """Train here while a child process of this kind trains too; both are watched, each in a session of its own."""
    model = Net()
    context = torch.multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    child = context.Process(target=in_a_child, args=(theirs,))
    child.start()
    weights = train(model, F.cross_entropy)
    weights += [torch.from_numpy(w) for w in ours.recv()]
    child.join()
    assert child.exitcode == 0, child.exitcode
    return weights


def in_a_child(pipe):
    torch.manual_seed(1)
    torch.set_num_threads(1)
    pipe.send([p.detach().numpy() for p in train(Net(), F.cross_entropy)])  # arrays: a tensor's memory would go with this process


@case
def child_forked():
    return trained_elsewhere("fork")


@case
def child_spawned():
    return trained_elsewhere("spawn")


def digest(tensors):
    h = hashlib.sha256()
    for t in tensors:
        t = t.detach().cpu().contiguous().reshape(-1)
        h.update(t.view(torch.uint8).numpy().tobytes() if t.numel() else b"")
    return h.hexdigest()


def run(name):
    torch.manual_seed(0)
    tensors = CASES[name]()
    out = os.environ.get("VIGIL_E2E_OUT")
    if out:
        with open("%s-%s" % (out, name), "w") as f:
            f.write(digest(tensors))


def main():
    torch.set_num_threads(1)
    torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)  # loads the compiler, once instead of in every child
    gc.collect()
    gc.freeze()  # looking for models among all objects is quick then
    for name in sys.argv[1:] or CASES:
        pid = os.fork()
        if pid == 0:
            try:
                run(name)
            except BaseException:
                traceback.print_exc()
                sys.exit(1)
            quick_end.leave()
        _, status = os.waitpid(pid, 0)
        print(name, pid, status, flush=True)


if __name__ == "__main__":
    main()
