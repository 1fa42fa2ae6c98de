"""What travels in a frame: parameters and gradients as they were announced, and those of them that go together."""

import weakref

from vigil._torch import sharded_tensors

# Of so many small tensors the views take more time and memory than their bytes: there is one set of them, over memory aside, which is then copied as a whole.
MANY, SMALL = 512, 4096  # tensors of a frame, bytes of one on average


class Entry(object):
    """A parameter or its gradient as announced. Its module is held weakly: a part that is replaced goes."""

    __slots__ = ("name", "id", "module", "key", "grad", "dtype", "shape", "nbytes", "root", "owner", "seen", "told", "placements")

    kept = False  # by an optimiser, next to a parameter

    def __init__(self, name, id, module, key, grad, dtype, shape, nbytes, root, owner, placements=None):
        self.name = name
        self.id = id
        self.module = weakref.ref(module)
        self.key = key
        self.grad = grad
        self.dtype = dtype
        self.shape = shape
        self.nbytes = nbytes
        self.root = root
        self.owner = owner  # the optimiser (or the root of a hand-written update) whose step captures it
        self.seen = False
        self.told = None  # the reason last given for not capturing it
        self.placements = placements  # of a tensor that is divided between processes: the part here is captured

    def parameter(self):
        module = self.module()
        return None if module is None else module._parameters.get(self.key)

    def tensor(self):
        p = self.parameter()
        if self.grad and p is not None:
            p = p.grad
        if self.placements is None or p is None:
            return p
        return sharded_tensors.local(p) if self.as_divided(p) else None

    def as_divided(self, tensor):
        """Whether a tensor is divided between the processes as it was announced."""
        return sharded_tensors.is_divided(tensor) and tensor.placements == self.placements


class Chunk(object):
    """Entries that travel in one frame. ``layout`` is None when the ring had no room for it, False when it was not needed so far.

    ``device``: where the tensors are, None for those that the CPU copies;
    ``values``: the schedules at which their values are wanted, None for always;
    ``reduce``: at this step their statistics are enough; ``aside``: memory of
    the size of a frame through which they are copied, when they are many;
    ``grads``: gradients are among them; ``probe``: see ahead.
    """

    __slots__ = ("entries", "layout", "views", "device", "values", "reduce", "aside", "grads", "probe")

    def __init__(self, entries, layout, device=None, values=None):
        self.entries = entries
        self.layout = layout
        self.views = {}  # slot -> list of tensors over the ring; 0 -> over what is aside
        self.aside = None
        self.device = device
        self.values = values
        self.reduce = False
        self.grads = any(e.grad for e in entries)
        self.probe = None

    def many(self):
        """Whether its tensors are so many and so small that they travel through memory aside."""
        return len(self.entries) >= MANY and self.layout.bytes <= SMALL * len(self.entries)
