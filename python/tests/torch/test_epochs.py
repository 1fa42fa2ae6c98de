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
        self.backwards = 0
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
        """backward of a step; the fast path knows steps with one."""
        self._evaluated()
        self.backwards += 1
        if self.backwards > 1:
            self._leave()
        if not self.lane.armed:
            self.passes.backward()

    def _leave(self):
        if self.lane.armed:
            self.lane.armed, self.counter.modes[0] = False, self.lane.n

    def update(self, epoch=0):
        self._evaluated()
        self.log.append(epoch)
        lane, modes = self.lane, self.counter.modes
        alike, self.backwards = self.backwards == 1, 0
        if self.chance is not None and alike and self.chance.random() < 0.3:
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
        self._leave()
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
        for _n, _ in zip(range(most), self.iterate(loader)):
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
        (of_two_lengths, [(0, 1, 10), (25, 4, 5), (30, 5, 10)]),
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
    assert t.told == 2  # the first, and how long it is


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


def test_another_loader_goes_on_with_epochs_of_its_own():
    t = Training()
    second_phase(t, loader(10))
    assert t.epochs.gather() == {"batches": 7, "stretches": [{"at": 0, "number": 1, "updates": 10}]}  # of 27 updates: the third has 7


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


# Random scripts: what the epochs of their updates are, by their own count and by the stretches.


def ahead(batches):
    """Takes a batch before the one at hand is given."""
    batches = iter(batches)
    batch = next(batches, None)
    for after in batches:
        yield batch
        batch = after
    if batch is not None:
        yield batch


def of_chance(t, chance):
    """Trains as a script of one of many kinds does."""
    batches = chance.choice([1, 2, 3, chance.randint(4, 30), chance.randint(31, 200)])
    epochs = min(max(3, 200 // batches), 30)
    every = chance.choice([1, 1, 1, 2, 3, chance.randint(4, 40)])  # batches of an update
    carried = chance.random() < 0.5  # what is left of an epoch goes into the next one
    validation = loader(chance.randint(1, 8))
    validates, most = chance.choice([0, 0, 1, chance.randint(2, 50)]), chance.choice([1, 3, 100])
    in_hand = chance.random() < 0.5
    leaves = chance.choice([0, 0, 0, 1])
    wrap = chance.choice([list.__iter__, ahead]) if chance.random() < 0.2 else None
    first, second = loader(batches), loader(chance.randint(1, 60))
    kind = chance.choice(["one", "one", "one", "made again", "zip", "in turn", "one after another", "held"])
    if chance.random() < 0.3:
        t.evaluate(validation, 2)
    if chance.random() < 0.2:
        next(t.iterate(first))
    n = 0
    held = t.iterate(second) if kind == "held" else None
    for epoch in range(epochs):
        if kind == "made again":
            parts = [loader(batches)]
        elif kind == "in turn":
            parts = [first, second]
        elif kind == "one after another":
            parts = [first if epoch < epochs // 2 else second]
        else:
            parts = [first]
        if not carried:
            n = 0
        for part in parts:
            taken = t.iterate(part)
            if wrap is ahead:
                taken = ahead(taken)
            if kind == "zip":
                taken = zip(taken, t.iterate(second))
            stop = chance.randint(1, batches) if leaves else 1 << 30
            for i, _ in enumerate(taken):
                if held is not None and next(held, None) is None:
                    held = t.iterate(second)
                    next(held)
                n += 1
                if validates and in_hand and n % validates == 0:
                    t.evaluate(validation, most)
                t.backward()
                if n % every == 0:
                    t.update(epoch + 1)
                    if validates and not in_hand and n % validates == 0:
                        t.evaluate(validation, most)
                if i + 1 == stop:
                    break
            del taken
        if chance.random() < 0.3:
            t.evaluate(validation, most)
    return kind, batches, every, wrap, leaves


def epochs_of(facts, steps):
    """The epoch of each update (docs/formats/facts.md); None where it is not known."""
    out = []
    for step in range(steps):
        known = [s for s in facts["stretches"] if s["at"] <= step]
        if known and step < facts.get("until", 1 << 60):
            s = known[-1]
            out.append(s["number"] + ((step - s["at"]) // s["updates"] if s["updates"] else 0))
        else:
            out.append(None)
    return out


def test_epochs_are_those_that_the_script_counts():
    wrong = []
    for seed in range(100):
        chance = random.Random(seed)
        t = Training(chance)
        what = of_chance(t, chance)
        if t.log:
            facts = t.epochs.gather()
            if epochs_of(facts, len(t.log)) != t.log:
                wrong.append("seed %d: %s, %s" % (seed, what, facts))
    assert not wrong, "\n".join(wrong)
