"""Which passes of loaders are epochs of a training (vigil._torch.epochs)."""

import random
import types

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from vigil import _marks
from vigil._torch.epochs import MOST, Epochs
from vigil._torch.loaders import Waits
from vigil._torch.passes import Passes


class Training(object):
    """A training as a script writes it, with its loaders watched and its updates counted. The fast path is entered and left by chance."""

    def __init__(self, chance=None):
        self.chance = chance
        self.thread = None
        self.open = self.suspended = None
        self.counter = types.SimpleNamespace(modes=[0, 0, 0, 0])
        self.lane = types.SimpleNamespace(armed=False, n=0)
        self.told = 0
        self.facts = types.SimpleNamespace(said=True, told_anew=self._told)
        self.session = object()
        self.epochs = Epochs(self)
        self.passes = Passes(self, self.epochs)
        self.waits = Waits(_marks.Marks(), self.passes)
        self.evaluates = False
        self.log = []  # the epoch of each update, as the script counts it

    def _told(self):
        self.told += 1
        self.epochs.gather()

    def iterate(self, loader):
        """``iter`` as loaders.watch replaces it."""
        one = self.passes.begins(loader)
        iterator = iter(loader)
        self.waits.measured(loader, iterator, 0)
        self.passes.iterates(iterator, one)
        return iterator

    def backward(self):
        if not self.lane.armed:
            self.passes.backward()

    def update(self, epoch=0):
        self._evaluated()
        self.backward()
        self.log.append(epoch)
        lane, modes = self.lane, self.counter.modes
        if self.chance is not None and self.chance.random() < 0.3:
            if lane.armed:
                modes[0] = lane.n
            else:
                lane.n = modes[0]
            lane.armed = not lane.armed
        if lane.armed:
            lane.n += 1
        else:
            modes[0] += 1

    def evaluation(self):
        """A step of it opens; it closes with the next event."""
        if self.lane.armed:
            self.lane.armed, self.counter.modes[0] = False, self.lane.n
        self._evaluated()
        self.passes.evaluated_from()
        self.evaluates = True

    def _evaluated(self):
        if self.evaluates:
            self.passes.evaluated()
        self.evaluates = False

    def train(self, loader, every=1):
        for n, _ in enumerate(self.iterate(loader)):
            self.backward()
            if (n + 1) % every == 0:
                self.update()

    def evaluate(self, loader, most=1 << 30):
        for n, _ in zip(range(most), self.iterate(loader)):
            self.evaluation()


def loader(batches):
    return DataLoader(TensorDataset(torch.zeros(2 * batches, 1)), batch_size=2)


def plain(t, data):
    for _ in range(3):
        t.train(data)
        t.evaluate(loader(4))


def first_epoch(t, data):
    for _, _batch in zip(range(5), t.iterate(data)):
        t.update()
        seen = t.epochs.gather()
    t.seen = seen


def accumulated(t, data):
    for _ in range(3):
        t.train(data, every=5)


def looked_at_before(t, data):
    next(t.iterate(data))
    t.evaluate(data)
    plain(t, data)


def looked_at_within(t, data):
    for n, _ in enumerate(t.iterate(data)):
        t.update()
        if n == 3:
            next(t.iterate(data))
    t.train(data)


def evaluated_on_the_training_data(t, data):
    for _ in range(3):
        t.train(data)
        t.evaluate(data)


def validated_within(t, data):
    validation = loader(4)
    for _ in range(3):
        for n, _batch in enumerate(t.iterate(data)):
            t.update()
            if n == 5:
                t.evaluate(validation)


def cut_short(t, data):
    for _ in range(3):
        for n, _batch in enumerate(t.iterate(data)):
            t.update()
            if n == 3:
                break


def made_anew(t, data):
    for _ in range(3):
        t.train(loader(10))


def of_two_lengths(t, data):
    t.train(data)
    t.train(data)
    t.train(data, every=2)
    t.train(data, every=2)
    t.train(data)


def second_phase(t, data):
    t.train(data)
    t.train(data)
    t.train(loader(7))


@pytest.mark.parametrize(
    "script,stretches",
    [
        (plain, [(0, 1, 10)]),
        (accumulated, [(0, 1, 2)]),
        (looked_at_before, [(0, 1, 10)]),
        (looked_at_within, [(0, 1, 10)]),
        (evaluated_on_the_training_data, [(0, 1, 10)]),
        (validated_within, [(0, 1, 10)]),
        (cut_short, [(0, 1, 4)]),
        (made_anew, [(0, 1, 10)]),
        (of_two_lengths, [(0, 1, 10), (25, 4, 5)]),
        (second_phase, [(0, 1, 10), (20, 3, 7)]),
    ],
)
def test_stretches(script, stretches):
    t = Training()
    script(t, loader(10))
    facts = t.epochs.gather()
    assert facts["batches"] == 10
    assert [(s["at"], s["number"], s["updates"]) for s in facts["stretches"]] == stretches


def test_the_first_epoch_has_as_many_updates_as_batches_when_each_makes_one():
    t = Training()
    first_epoch(t, loader(10))
    assert t.seen == {"batches": 10, "stretches": [{"at": 0, "number": 1, "updates": 10}]}


def test_it_is_told_when_it_changes_and_not_at_each_epoch():
    t, data = Training(), loader(10)
    for _ in range(50):
        t.train(data)
    assert t.told == 1


def test_without_order_nothing_is_told_any_more():
    t, data = Training(), loader(4)
    for n in range(2 * MOST):
        for i, _ in enumerate(t.iterate(data)):
            t.update()
            if i == n % 3:
                break
    facts = t.epochs.gather()
    assert len(facts["stretches"]) == MOST
    assert facts["stretches"][-1]["at"] < facts["until"] < t.counter.modes[0]


class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(range(6))


def test_data_without_a_length():
    t, data = Training(), DataLoader(Stream(), batch_size=2)
    for _ in range(2):
        t.train(data)
    assert t.epochs.gather() == {"batches": 0, "stretches": [{"at": 0, "number": 1, "updates": 3}]}


@pytest.mark.parametrize("updates,facts", [(300, {"total": 300}), (None, None), (-1, None), (float("inf"), None)])
def test_a_trainer_knows_the_end(updates, facts):
    t = Training()
    t.epochs.ends_at(updates)
    assert t.epochs.gather() == facts
