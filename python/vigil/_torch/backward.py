"""Being told of ``backward``: Tensor.backward and the backends of wrappers all call torch.autograd.backward."""

import functools

import torch

from vigil import _guard
from vigil._torch import backend

_MARK = "_vigil_wrapped"


def wrap_backward(tracker):
    """Report every call: tracker.backward_begins(tensors) before, tracker.backward_ends() after."""
    original = torch.autograd.backward
    if getattr(original, _MARK, False):
        return

    lane = tracker.lane

    @_guard.guard
    def begins(args, kwargs):
        if tracker.in_backward or backend.is_compiling():
            return False  # checkpointing calls backward inside backward
        tracker.in_backward = tracker.backward_seen = True
        if not (lane.armed and lane.backward(args)):
            tracker.backward_begins(args, kwargs)
        return True

    @_guard.guard
    def ends():
        tracker.in_backward = False
        if not lane.armed:
            tracker.backward_ends()

    @functools.wraps(original)
    def backward(*args, **kwargs):
        begun = begins(args, kwargs)
        try:
            out = original(*args, **kwargs)
        except BaseException:
            tracker.in_backward = False
            raise
        if begun is not False:
            ends()
        return out

    setattr(backward, _MARK, True)
    torch.autograd.backward = backward
