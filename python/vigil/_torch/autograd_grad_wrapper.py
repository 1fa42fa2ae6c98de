"""Being told of torch.autograd.grad: one wrapper, with which everybody registers who wants to know of its calls."""

import functools

import torch

from vigil import _guard
from vigil._torch import compat

_WATCHERS = "_vigil_watchers"


def grad(begins):
    """Have begins(args, kwargs) called before each call. A function that it returns is called with the gradients.

    Inputs that can be gone through once only are a list in args, there and in
    the call itself. What torch.compile traces is told to nobody.
    """
    watchers = getattr(torch.autograd.grad, _WATCHERS, None)
    if watchers is None:
        watchers = _wrap()
    watchers.append(_guard.guard(begins))


def _wrap():
    original = torch.autograd.grad
    watchers = []

    @functools.wraps(original)
    def grad(*args, **kwargs):
        if compat.is_compiling():
            return original(*args, **kwargs)
        if len(args) > 1 and hasattr(args[1], "__next__"):
            args = (args[0], list(args[1])) + args[2:]
        ends = [begins(args, kwargs) for begins in watchers]
        gradients = original(*args, **kwargs)
        for told in ends:
            if told:
                _guard.guard(told)(gradients)
        return gradients

    setattr(grad, _WATCHERS, watchers)
    torch.autograd.grad = grad
    return watchers
