"""Being told of ``backward``: Tensor.backward and the backends of wrappers all call torch.autograd.backward.

A script that never calls it may take its gradients from torch.autograd.grad
instead, and update the weights with what that returns; it is told of as well,
until the first call of backward.
"""

import functools

import torch

from vigil import _guard, _marks
from vigil._torch import autograd_grad_wrapper, compat, ranks

_MARK = "_vigil_wrapped"


def wrap_backward(tracker):
    """Report every call: tracker.backward_begins(tensors) before, tracker.backward_ends() after."""
    original = torch.autograd.backward
    if getattr(original, _MARK, False):
        return

    lane = tracker.lane
    marks, reductions = tracker.marks, tracker.reductions

    @_guard.guard
    def begins(args, kwargs):
        if tracker.in_backward or compat.is_compiling():
            return False  # checkpointing calls backward inside backward
        if not tracker.backward_seen:
            tracker.grads.over()
        tracker.in_backward = tracker.backward_seen = True
        if not (lane.armed and lane.backward(args)):
            tracker.backward_begins(args, kwargs)
            if tracker.publisher.world > 1 and ranks.reduces(tracker.roots):
                reductions.begins(args[0] if args else kwargs.get("tensors"))
        marks.begins(_marks.BACKWARD)
        return True

    @_guard.guard
    def returns():
        reductions.ends()
        marks.ends(_marks.BACKWARD)

    @_guard.guard
    def ends():
        returns()
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
            if begun is not False:
                returns()
            raise
        if begun is not False:
            ends()
        return out

    setattr(backward, _MARK, True)
    torch.autograd.backward = backward
    autograd_grad_wrapper.grad(_stands_for_backward(tracker))


def _stands_for_backward(tracker):
    """What reports a call of torch.autograd.grad to tracker.grads, which says whether it stands for backward."""

    def begins(args, kwargs):
        if len(args) != 2 or tracker.in_backward or tracker.backward_seen:
            return None
        inputs = tracker.grads.begins(args, kwargs)
        if not inputs:
            return None
        tracker.marks.begins(_marks.BACKWARD)
        return functools.partial(ends, inputs)

    def ends(inputs, gradients):
        tracker.marks.ends(_marks.BACKWARD)
        tracker.grads.ends(inputs, gradients)

    return begins
