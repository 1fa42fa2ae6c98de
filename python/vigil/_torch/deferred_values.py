"""Reading numbers without making the training wait.

A number on the CPU is read at once. One on a CUDA device is copied into pinned
memory behind the work that makes it, and read when that copy has surely ended:
steps are published in order, so a step waits in a queue until its numbers are
there. Where no such memory is left, it is read at once.
"""

import torch

from vigil._torch import device

SLOTS = 4096


class Later(object):
    """A number that is on its way from a device: ``ready()``, then ``value()``."""

    __slots__ = ("memory", "index", "event")

    def __init__(self, memory, index, event):
        self.memory = memory
        self.index = index
        self.event = event

    def ready(self):
        return self.event.query()

    def value(self):
        self.event.synchronize()
        return float(self.memory[self.index])


class Reader(object):
    """Reads one-element tensors; ``read`` gives a float or a Later."""

    def __init__(self):
        self.memory = None
        self.next = 0

    def read(self, tensor, factor=1.0):
        """The value of a one-element tensor divided by ``factor`` (see graph.base)."""
        from_ = device.of(tensor)
        if from_ is None:
            if type(factor) is list:
                factor = _multiply(factor)
            value = tensor.item()
            if type(value) is complex:
                value = abs(value)
            return float(value) if factor == 1.0 else value / factor
        with torch.no_grad():
            value = tensor.detach().reshape(()).to(torch.float64)
            if type(factor) is list:
                for other, inverse in factor:
                    other = other.detach().reshape(())
                    value = value * other if inverse else value / other
            elif factor != 1.0:
                value = value / factor
            if self.memory is None:
                try:
                    self.memory = from_.pinned(8 * SLOTS).view(torch.float64)
                except RuntimeError:  # the machine has none left; the next one may find some
                    return float(value)
            i = self.next
            self.next = (i + 1) % SLOTS
            event = from_.bring_from([(self.memory[i], value)])
        return Later(self.memory, i, event)


def _multiply(factors):
    product = 1.0
    for other, inverse in factors:
        value = float(other.item())
        product = product / value if inverse else product * value
    return product if product else 1.0


class Mean(object):
    """The average of floats and of things that become one: a Later, or a Sum."""

    __slots__ = ("total", "count", "later")

    def __init__(self):
        self.total = 0.0
        self.count = 0
        self.later = None

    def add(self, value):
        self.count += 1
        if type(value) is not float:
            if self.later is None:
                self.later = []
            self.later.append(value)
        else:
            self.total += value

    def ready(self):
        return self.later is None or self.later[-1].ready()

    def number(self):
        """The value when it is there, else this Mean, whose value comes later."""
        return self if self.later is not None else self.total / self.count

    def value(self):
        if self.later is not None:
            for one in self.later:
                self.total += one.value()
            self.later = None
        return self.total / self.count


class Sum(object):
    """The sum of Means, at least one of which is on its way."""

    __slots__ = ("means",)

    def __init__(self, means):
        self.means = means

    def ready(self):
        return all(m.ready() for m in self.means)

    def value(self):
        return sum(m.value() for m in self.means)


def total(means):
    """The sum of Means: a float when all are there."""
    if len(means) == 1:
        mean = means[0]
        return mean.total / mean.count if mean.later is None else Sum(means)
    if all(m.later is None for m in means):
        return sum(m.value() for m in means)
    return Sum(means)
