"""A script that trains plain tensors by hand: no module, no optimiser, only backward and changes in place.

Nothing announces such an update. The leaves that a loss's graph ends in are
remembered until the next backward; those of them that were changed by then are
what the script trains.
"""

import weakref

import torch

from vigil._torch import operations

LOOKS = 200  # calls of backward after which no training is expected any more
NODES = 2000  # of a graph
MOST = 200  # tensors


class PlainTensors(object):
    """The leaves of the last loss, by name; ``root`` holds them once it is known that the script trains them."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.tensors = {}  # name -> weak reference
        self.root = None
        self.looks = 0

    def living(self):
        """The tensors that are still there."""
        return [t for t in (ref() for ref in self.tensors.values()) if t is not None]

    def forget(self):
        """A module is trained: what was seen before was something else."""
        if self.root is None and self.tensors:
            self.tensors = {}
            self.tracker.snapshot = None

    def backward(self, loss):
        """backward is about to be called on ``loss``: an update by hand, if there was one, is over."""
        t = self.tracker
        if self.tensors and t.open is not None and t.open.mode in (0, 3) and t.open.backwards and t._changed_by_hand(None):
            if self.root is None:
                self._trains()
            else:
                t._close_by_hand()
        if self.root is None and self._possible() and isinstance(loss, torch.Tensor) and loss.numel() == 1:
            self.looks += 1
            self.tensors = {"parameter_%d" % i: weakref.ref(leaf) for i, leaf in enumerate(_leaves(loss.grad_fn))}

    def _possible(self):
        t = self.tracker
        return not (t.session is not None or t.refused or t.roots or t.optims or t.discovery.candidates or t.by_hand or self.looks >= LOOKS)

    def _trains(self):
        """Leaves were changed after backward: by the script itself, unless an optimiser has them."""
        t = self.tracker
        mine = {id(p) for p in self.living()}
        if any(id(p) in mine for o in t.registry.optimisers() for group in o.param_groups for p in group["params"]):
            self.looks = LOOKS
            self.forget()
            return
        self.root = Held(self.tensors)
        t.trainings.by_hand(self.living())
        t.adopt_plain()


class Held(object):
    """The tensors, shaped like a Root. It keeps none of them alive."""

    parts = frozenset()
    divided = flattened = False
    name = type = ""
    tree = None

    def __init__(self, tensors):
        self._parameters = weakref.WeakValueDictionary((name, ref()) for name, ref in tensors.items() if ref() is not None)
        self._modules = {}

    def inner(self):
        return self

    def wrapper(self):
        return None

    def path(self, path):
        return path

    def modules(self):
        return []


def _leaves(node):
    """The tensors that a graph ends in, those nearest to the loss first."""
    found, seen, stack = [], set(), [node]
    keep = []  # the id of a node that is gone may come again
    while stack and len(keep) < NODES and len(found) < MOST:
        node = stack.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        keep.append(node)
        if operations.base(node) == "AccumulateGrad":
            found.append(node.variable)
        stack.extend(n for n, _ in node.next_functions)
    return found
