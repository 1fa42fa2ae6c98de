"""Which parameters got their values from somewhere else: ``load_state_dict``, or a whole model that ``torch.load`` gave.

Such values are no initial ones. A parameter whose values were the same before, as
those of a model that is set back to where it began, was not loaded.
"""

import functools
import weakref

import torch

from vigil import _guard
from vigil._torch import compat, names, summary

FEW = 64  # elements of a parameter that are compared
MOST = 2000  # parameters of one call that are looked at
DEEP = 3  # how far down in what torch.load gave modules are looked for
WIDE = 200  # how many things of one collection
_MARK = "_vigil_wrapped"
_loaded = {}  # id of a parameter -> weak reference to it


def loaded(parameter):
    """Whether the values of a parameter were loaded."""
    known = _loaded.get(id(parameter))
    return known is not None and known() is parameter


def watch(tracker):
    """Be told of what is loaded while the tracker looks at the first steps of a training."""

    def looks():
        return not compat.is_compiling() and tracker.facts.look.open

    _wrap_module(looks)
    _wrap_load(looks)


def _wrap_module(looks):
    original = torch.nn.Module.load_state_dict
    if getattr(original, _MARK, False):
        return

    @functools.wraps(original)
    def load_state_dict(self, *args, **kwargs):
        before = _before(self) if looks() else None
        out = original(self, *args, **kwargs)
        if before is not None:
            _after(self, before)
        return out

    setattr(load_state_dict, _MARK, True)
    torch.nn.Module.load_state_dict = load_state_dict


def _wrap_load(looks):
    original = torch.load

    @functools.wraps(original)
    def load(*args, **kwargs):
        out = original(*args, **kwargs)
        if looks():
            _models(out, DEEP)
        return out

    torch.load = load
    if getattr(torch.serialization, "load", None) is original:
        torch.serialization.load = load  # where pickle looks for it


@_guard.guard
def _before(module):
    """{name: (id of a parameter, some of its values)}."""
    return {name: (id(p), _some(p)) for name, p in _parameters(module)}


@_guard.guard
def _after(module, before):
    for name, p in _parameters(module):
        at, values = before.get(name, (None, None))
        now = _some(p)
        if now is not None and (values is None or values != now):
            _put(p)
        elif at is not None and at != id(p) and values is None:
            _put(p)


def _parameters(module):
    for i, p in enumerate(names.parameters(module)):
        if i >= MOST:
            return
        yield p.path, p.value


def _some(parameter):
    """Some values of a parameter; None where there are none yet, or they cannot be read."""
    if not summary.initialised(parameter) or parameter.is_meta or not parameter.numel() or not summary.readable(parameter):
        return None
    with torch.no_grad():
        x = parameter.detach()
        x = x.reshape(-1) if x.is_contiguous() else x[0].reshape(-1)
        return [repr(v) for v in x[:: max(x.numel() // FEW, 1)][:FEW].tolist()]  # so that NaN is equal to itself


@_guard.guard
def _models(thing, deep):
    """Mark what modules among ``thing`` hold."""
    if isinstance(thing, torch.nn.Module):
        for _, p in _parameters(thing):
            _put(p)
    elif deep and isinstance(thing, (dict, list, tuple)):
        values = thing.values() if isinstance(thing, dict) else thing
        for i, value in enumerate(values):
            if i >= WIDE:
                return
            if isinstance(value, (torch.nn.Module, dict, list, tuple)):
                _models(value, deep - 1)


def _put(parameter):
    at = id(parameter)
    _loaded[at] = weakref.ref(parameter, lambda _: _loaded.pop(at, None))
