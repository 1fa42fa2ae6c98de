"""Waiting for other ranks: what the script calls of torch.distributed itself, and what DistributedDataParallel still reduces when all gradients are there.

The latter is the end of backward: its callbacks run in the order in which they
were queued, and ours is queued before DistributedDataParallel's. On a device a
reduction runs next to the host, and is not seen.
"""

import functools
import sys

import torch

from vigil import _guard, _marks
from vigil._torch import compat

_MARK = "_vigil_wrapped"
CALLS = (
    "all_gather", "all_gather_into_tensor", "all_gather_object", "all_reduce", "barrier", "broadcast", "broadcast_object_list",
    "gather", "reduce", "reduce_scatter", "reduce_scatter_tensor", "scatter",
)  # fmt: skip


def watch(tracker):
    """Leave marks in tracker.marks where the script waits for other ranks."""
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available():
        return
    begins, ends = _guard.guard(tracker.marks.begins), _guard.guard(tracker.marks.ends)
    inside = sys.modules.get("torch.distributed.distributed_c10d")
    for name in CALLS:
        original = getattr(distributed, name, None)
        if original is None or getattr(original, _MARK, False):
            continue
        wrapper = _wrapped(original, begins, ends)
        setattr(distributed, name, wrapper)
        if getattr(inside, name, None) is original:
            setattr(inside, name, wrapper)  # where pickle looks for it


def _wrapped(original, begins, ends):
    @functools.wraps(original)
    def wrapper(*args, **kwargs):
        if compat.is_compiling():
            return original(*args, **kwargs)
        begins(_marks.RANKS)
        try:
            return original(*args, **kwargs)
        finally:
            ends(_marks.RANKS)

    setattr(wrapper, _MARK, True)
    return wrapper


class Reductions(object):
    """Notes in a backward of DistributedDataParallel when all gradients are there."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.waits = False
        self.handle = None

    def begins(self, tensors):
        """backward is called on these."""
        if isinstance(tensors, (list, tuple)) and len(tensors) == 1:
            tensors = tensors[0]
        if isinstance(tensors, torch.Tensor) and tensors.grad_fn is not None:
            self.handle = tensors.register_hook(self._runs)

    def ends(self):
        """It has returned."""
        if self.handle is not None:
            self.handle.remove()
            self.handle = None
        if self.waits:
            self.waits = False
            self.tracker.marks.ends(_marks.RANKS)

    @_guard.guard
    def _runs(self, gradient):
        """Its first gradient is on its way."""
        torch.autograd.Variable._execution_engine.queue_callback(self._gradients_there)

    @_guard.guard
    def _gradients_there(self):
        self.waits = True
        self.tracker.marks.begins(_marks.RANKS)


def reduces(roots):
    """Whether one of these models is wrapped by DistributedDataParallel."""
    module = sys.modules.get("torch.nn.parallel.distributed")
    kind = getattr(module, "DistributedDataParallel", None)
    return kind is not None and any(isinstance(root.outer(), kind) for root in roots)
