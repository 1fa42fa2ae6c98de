"""Being told of ``backward``: Tensor.backward and the backends of wrappers all call torch.autograd.backward."""

import functools

import torch

from vigil._torch import backend

_MARK = "_vigil_wrapped"


def wrap_backward(tracker):
    """Report every call: tracker.backward_begins(tensors) before, tracker.backward_ends() after."""
    original = torch.autograd.backward
    if getattr(original, _MARK, False):
        return

    @functools.wraps(original)
    def backward(*args, **kwargs):
        if tracker.in_backward or backend.is_compiling():
            return original(*args, **kwargs)
        tracker.in_backward = True
        try:
            tracker.backward_begins(args, kwargs)
            out = original(*args, **kwargs)
            tracker.backward_ends()
            return out
        finally:
            tracker.in_backward = False

    setattr(backward, _MARK, True)
    torch.autograd.backward = backward
