"""Whether reading what an operation saved for backward would run code of the script.

Whoever saves tensors in a way of their own (offloading, checkpointing) has
them computed again when they are read. Older releases (2.1, 1.13) do not say that of
a tensor: there it is taken to be so of all, from the first time on that
somebody saves in such a way.
"""

import functools

import torch

_SAYS = hasattr(getattr(torch._C._autograd, "SavedTensor", None), "unpack_hook")
_MARK = "_vigil_wrapped"
_own_ways = False


def runs_code(saved):
    """saved: what ``_raw_saved_*`` of a node gives."""
    if _SAYS:
        return getattr(saved, "unpack_hook", None) is not None
    return _own_ways


def unsure():
    """Whether facts are left out because this release does not say it, and somebody does save in a way of their own."""
    return _own_ways and not _SAYS


def watch():
    """Notice, in releases that do not say it, that somebody saves in a way of their own."""
    hooks = torch.autograd.graph.saved_tensors_hooks
    original = hooks.__enter__
    if _SAYS or getattr(original, _MARK, False):
        return

    @functools.wraps(original)
    def enter(self):
        global _own_ways
        _own_ways = True
        return original(self)

    setattr(enter, _MARK, True)
    hooks.__enter__ = enter
