"""What passes without gradients are for, where the model is in training mode: not all of them evaluate.

Monte Carlo dropout calls the model several times with the same inputs and
averages; who guesses labels (MixMatch, virtual adversarial training) calls it
before every update, each time with new inputs.
"""

import itertools

import torch

from vigil import _guard
from vigil._torch import compat, module_hooks, summary
from vigil._torch.activations import tensors

MOST = 64  # passes that are looked at
ELEMENTS = 1 << 16  # of an input
SAMPLES = 4  # passes over the same inputs, between two updates, that are no loss, score and report of one evaluation
UPDATES = 4  # in a row before which labels were guessed


class NoGradPasses(object):
    """Passes in training mode, by the number of updates before them."""

    def __init__(self, look, numbers):
        self.look = look
        self.numbers = numbers
        self.stretches = []  # (updates before, [what the passes were given: (shape, place), or None])
        self.count = 0

    def begins(self, module, updates):
        """``module`` is about to run; its handle, which the caller removes."""
        if not self.stretches or self.stretches[-1][0] != updates:
            self.stretches.append((updates, []))
        given = self.stretches[-1][1]
        self.count += 1
        place = len(given)
        given.append(None)
        look, kwargs = self.look, compat.HAS_KWARG_HOOKS

        @_guard.guard
        def ran(module, args, *rest):
            if look.here() and given[place] is None:
                with look.timed():
                    given[place] = self._print((args, rest[0]) if kwargs else args)

        return module_hooks.after(module, ran, with_kwargs=True) if kwargs else module_hooks.after(module, ran)

    def _print(self, args):
        """(shape, place of two sums) of the first tensor that a model was given."""
        for x in itertools.islice(tensors(args), 1):
            if x.numel() and summary.readable(x) and not x.is_complex():
                with torch.no_grad():
                    values = x.detach().reshape(-1)[:ELEMENTS].to(summary.precise(x) if x.is_floating_point() else torch.float32)
                    return tuple(x.shape), self.numbers.put(torch.stack([values.sum(), values.square().sum()]))
        return None

    @property
    def known(self):
        """Whether nothing that comes can change what ``purpose`` says."""
        n = len(self.stretches)
        return self.count >= MOST or n >= UPDATES or n > 1 and not self._each_update()

    def _each_update(self):
        return all(after[0] - before[0] == 1 for before, after in zip(self.stretches, self.stretches[1:]))

    def purpose(self, numbers):
        """"samples" or "targets", where it is certain; else None."""
        keys = [[one and (one[0], tuple(numbers[one[1]])) for one in given] for _, given in self.stretches]
        if any(one is not None and given.count(one) >= SAMPLES for given in keys for one in set(given)):
            return "samples"
        every = [one for given in keys for one in given]
        if len(keys) >= UPDATES and self._each_update() and None not in every and len(set(every)) == len(every):
            return "targets"
        return None
