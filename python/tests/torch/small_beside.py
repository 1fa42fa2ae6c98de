"""Small trainings whose model is wrapped, or has a copy next to it, or whose rate is warmed up, or that have several optimisers."""

import copy
import os
import tempfile
import types

import torch
import torch.nn.functional as F
from small_registry import data, train
from torch import nn

BESIDE = {}
LR = 0.01


def case(fn):
    BESIDE[fn.__name__] = fn
    return fn


class Block(nn.Module):
    """Its layer is really called module, as that of a wrapper is."""

    def __init__(self):
        super().__init__()
        self.module, self.drop, self.act = nn.Linear(6, 8), nn.Dropout(0.1), nn.ReLU()

    def forward(self, x):
        return self.act(self.drop(self.module(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.module, self.head = Block(), nn.Linear(8, 3)

    def forward(self, x):
        return self.head(self.module(x))


class DataParallel(nn.Module):
    """Called like PyTorch's, and no wrapper."""

    def __init__(self):
        super().__init__()
        self.module, self._orig_mod = nn.Linear(6, 8), nn.Linear(8, 3)

    def forward(self, x):
        return self._orig_mod(self.module(x).relu())


def group():
    with tempfile.NamedTemporaryFile(delete=False) as f:
        meeting = f.name
    os.unlink(meeting)
    torch.distributed.init_process_group("gloo", init_method="file://" + meeting, rank=0, world_size=1)


# Wrappers.


@case
def plain():
    train(Net(), F.cross_entropy)


@case
def part_called_alone():
    """A sample of a part before the training and in each evaluation, as of a decoder; the loss is a sum."""
    model = nn.Sequential(nn.Linear(6, 4), nn.Sequential(nn.Linear(4, 3), nn.Tanh()))
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    model[1](torch.zeros(2, 4))
    for x, y in [b for _ in range(3) for b in data()]:
        optimiser.zero_grad()
        out = model(x)
        (F.cross_entropy(out, y) + 0.5 * F.mse_loss(out[:, 0], x[:, 0])).backward()
        optimiser.step()
        with torch.no_grad():
            model[1].eval()(torch.zeros(2, 4))


@case
def own_names():
    train(DataParallel(), F.cross_entropy)


@case
def data_parallel():
    train(nn.DataParallel(Net()), F.cross_entropy)


@case
def distributed():
    group()
    train(nn.parallel.DistributedDataParallel(Net()), F.cross_entropy)


class MyOwn(nn.parallel.DistributedDataParallel):
    """Derived, as scripts do that want the attributes of what is inside."""


@case
def derived_from_distributed():
    group()
    train(MyOwn(Net()), F.cross_entropy)


if hasattr(torch, "accelerator"):  # before 2.6 it does not run on a CPU

    @case
    def sharded():
        from torch.distributed.fsdp import FullyShardedDataParallel

        group()
        train(FullyShardedDataParallel(Net(), device_id=torch.device("cpu"), use_orig_params=True), F.cross_entropy)


@case
def compiled():
    train(torch.compile(Net(), backend="eager"), F.cross_entropy)


@case
def part_compiled():
    model = Net()
    model.module = torch.compile(model.module, backend="eager")
    train(model, F.cross_entropy)


@case
def all_parts_compiled():
    model = Net()
    model.module, model.head = (torch.compile(m, backend="eager") for m in (model.module, model.head))
    train(model, F.cross_entropy)


@case
def compiled_in_distributed():
    group()
    train(nn.parallel.DistributedDataParallel(torch.compile(Net(), backend="eager")), F.cross_entropy)


@case
def checkpointed():
    from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper

    model = Net()
    model.module = checkpoint_wrapper(model.module)
    train(model, F.cross_entropy)


@case
def averaged_itself():
    train(torch.optim.swa_utils.AveragedModel(Net()), F.cross_entropy)


# Copies.


class Task(nn.Module):
    def __init__(self, freeze=True):
        super().__init__()
        self.net = Net()
        self.beside = copy.deepcopy(self.net).requires_grad_(not freeze)

    def forward(self, x):
        return self.net(x)


def follow(task):
    """Train, and have the copy follow after each update."""
    optimiser = torch.optim.SGD(task.net.parameters(), lr=0.1)
    for x, y in data():
        optimiser.zero_grad()
        F.cross_entropy(task(x), y).backward()
        optimiser.step()
        with torch.no_grad():
            for a, p in zip(task.beside.parameters(), task.net.parameters()):
                a.lerp_(p, 0.1)


@case
def average():
    follow(Task())


@case
def average_that_was_loaded():
    """A run that goes on: the average is not what the weights are."""
    task = Task()
    with torch.no_grad():
        for p in task.beside.parameters():
            p.mul_(0.9).add_(0.02 * torch.randn_like(p))
    follow(task)


@case
def average_of_pytorch():
    task = Task()
    task.beside = torch.optim.swa_utils.AveragedModel(task.net)
    optimiser = torch.optim.SGD(task.net.parameters(), lr=0.1)
    for x, y in data():
        optimiser.zero_grad()
        F.cross_entropy(task(x), y).backward()
        optimiser.step()
        task.beside.update_parameters(task.net)


@case
def target_network():
    """It asks for gradients, the optimiser does not hold it, and it is called in each step."""
    task = Task(freeze=False)
    optimiser = torch.optim.Adam(task.net.parameters(), lr=0.01)
    for x, _ in data():
        with torch.no_grad():
            target = 0.1 + 0.9 * task.beside(x).max(1)[0]
        optimiser.zero_grad()
        F.smooth_l1_loss(task(x)[:, 0], target).backward()
        optimiser.step()


@case
def target_that_is_held():
    """The optimiser holds it too, and no gradient comes to it."""
    task = Task(freeze=False)
    optimiser = torch.optim.Adam(task.parameters(), lr=0.01)
    for x, _ in data():
        with torch.no_grad():
            target = 0.1 + 0.9 * task.beside(x).max(1)[0]
        optimiser.zero_grad()
        F.smooth_l1_loss(task(x)[:, 0], target).backward()
        optimiser.step()


class Stack(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers, self.head = nn.ModuleList(layers), nn.Linear(6, 3)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return self.head(x)


@case
def frozen_layers():
    """They are like the layer that trains in shape only."""
    model = Stack(*(nn.Linear(6, 6) for _ in range(3)))
    model.layers[:2].requires_grad_(False)
    train(model, F.cross_entropy)


@case
def frozen_layers_that_began_alike():
    """As those of nn.TransformerEncoder do: layers of a stack, and none of them a copy that is next to another."""
    first = nn.Linear(6, 6)
    model = Stack(*(copy.deepcopy(first) for _ in range(3)))
    model.layers[:2].requires_grad_(False)
    train(model, F.cross_entropy)


class Towers(nn.Module):
    def __init__(self):
        super().__init__()
        self.left = Net()
        self.right = copy.deepcopy(self.left)

    def forward(self, x):
        return self.left(x) + self.right(x)


@case
def frozen_tower():
    """Of the shape of the one that trains, with values of its own."""
    model = Towers()
    model.right = Net()
    model.right.requires_grad_(False)
    train(model, F.cross_entropy)


@case
def forgotten_tower():
    """Two that begin alike, and the optimiser has one of them: gradients come to both."""
    model = Towers()
    train(model, F.cross_entropy, optimiser=torch.optim.SGD(model.left.parameters(), lr=0.1))


@case
def wrong_copy():
    """The optimiser has the copy, and the gradients come to the other: a fault, and no copy that is next to what trains."""
    task = Task(freeze=False)
    train(task, F.cross_entropy, optimiser=torch.optim.SGD(task.beside.parameters(), lr=0.1))


# Warm-ups.


def scheduled(make, lr=LR, steps=2):
    model = Net()
    optimiser = torch.optim.SGD(model.parameters(), lr=lr)
    scheduler = make(optimiser) if make else types.SimpleNamespace(step=lambda: None)
    for _ in range(steps):
        for x, y in data():
            optimiser.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimiser.step()
            scheduler.step()


@case
def no_schedule():
    scheduled(None)


@case
def warm_up_by_a_factor():
    scheduled(lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda n: min(1, (n + 1) / 1000)))


@case
def warm_up_in_a_sequence():
    s = torch.optim.lr_scheduler
    scheduled(lambda o: s.SequentialLR(o, [s.LinearLR(o, 0.001, total_iters=500), s.CosineAnnealingLR(o, 500)], [500]))


@case
def one_cycle():
    scheduled(lambda o: torch.optim.lr_scheduler.OneCycleLR(o, max_lr=0.05, total_steps=1000))


@case
def width_of_a_transformer():
    """The number that is scaled is no rate."""
    scheduled(lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda n: 64**-0.5 * min((n + 1) ** -0.5, (n + 1) * 4000**-1.5)), lr=1.0)


@case
def rate_by_hand():
    model = Net()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.0)
    for n, (x, y) in enumerate([b for _ in range(2) for b in data()]):
        optimiser.param_groups[0]["lr"] = LR * (n + 1) / 1000
        optimiser.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimiser.step()


@case
def warm_up_that_is_over():
    scheduled(lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda n: min(1, (n + 1) / 4)))


@case
def decay():
    scheduled(lambda o: torch.optim.lr_scheduler.ExponentialLR(o, 0.99))


# Optimisers.


KEPT = []  # what a training that ends early is made of, so that the end finds it


def several(order):
    """Three optimisers for three models; order: which of them step in each step."""
    models = [nn.Linear(6, 3) for _ in range(3)]
    optimisers = [torch.optim.SGD(models[0].parameters(), lr=0.1), torch.optim.Adam(models[1].parameters()), torch.optim.AdamW(models[2].parameters())]
    KEPT.append((models, optimisers))
    for n, (x, y) in enumerate([b for _ in range(5) for b in data()]):
        for i in order(n):
            optimisers[i].zero_grad()
            F.cross_entropy(models[i](x), y).backward()
            optimisers[i].step()


@case
def three_in_turn():
    several(lambda n: range(3))


@case
def three_apart():
    """One steps each time, and the others in some steps."""
    several(lambda n: [0] if n % 7 else [0, 1, 2] if n % 14 else [0, 2])


@case
def three_phases():
    several(lambda n: [min(n // 20, 2)])


if __name__ == "__main__":
    import small_trainings

    small_trainings.main(BESIDE)
