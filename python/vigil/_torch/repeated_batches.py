"""Whether a batch that comes at every step is made again each time, and whether it is a part of more data.

One tensor that is kept and used again is what somebody wants. A batch that a
loader gives at every step, out of data of which there is more, and is the same one
all the same, is not.
"""

import weakref

from vigil import _guard


class RepeatedBatches(object):
    """The first tensor that the model is called with, step by step."""

    def __init__(self):
        self.last = None  # weak reference to the tensor that it is, or is a view of
        self.renewed = 0  # steps at which it was another tensor than before
        self.samples = 0

    def take(self, tensor):
        base = tensor._base if tensor._base is not None else tensor
        if self.last is None:
            self.samples = int(tensor.shape[0]) if tensor.dim() else 0
        elif self.last() is not base:
            self.renewed += 1
        self.last = weakref.ref(base)

    def part_of_more(self, loaders):
        """Whether one of the loaders gives batches of that size and has more."""
        return self.samples > 0 and any(_has_more(loader, self.samples) for loader in list(loaders))


@_guard.guard
def _has_more(loader, samples):
    """Whether a loader gives batches of that size, out of twice as many samples or more."""
    return loader.batch_size == samples and hasattr(type(loader.dataset), "__len__") and len(loader.dataset) >= 2 * samples
