"""Which parameters got their values from somewhere else: ``load_state_dict``, or a whole model that ``torch.load`` read.

Such values are no initial ones. A parameter whose values were the same before, as
those of a model that is set back to where it began, was not loaded.
"""

import functools
import inspect
import weakref

import torch

from vigil import _guard
from vigil._torch import compat, names, summary

FEW = 64  # elements of a parameter that are compared
MOST = 2000  # parameters of one call that are looked at
MOST_LOADS = 20
MOST_NAMES = 3
_MARK = "_vigil_wrapped"
_loaded = {}  # id of a parameter -> weak reference to it
_loads = {}  # id of a module -> (weak reference to it, LoadFact, {name: some values before}) of a call that did not fit entirely


def loaded(parameter):
    """Whether the values of a parameter were loaded."""
    known = _loaded.get(id(parameter))
    return known is not None and known() is parameter


def watch(tracker):
    """Be told of what is loaded while the tracker looks at the first steps of a training."""

    def looks():
        return not compat.is_compiling() and tracker.facts.look.open

    _wrap_module(looks)
    _wrap_setstate(looks)


def _wrap_module(looks):
    original = torch.nn.Module.load_state_dict
    if getattr(original, _MARK, False):
        return

    @functools.wraps(original)
    def load_state_dict(self, *args, **kwargs):
        before = _before(self) if looks() else None
        out = original(self, *args, **kwargs)
        given = args[0] if args else kwargs.get("state_dict")
        if before is not None:
            _after(self, before)
            _note(self, before, out, given)
        elif not compat.is_compiling():
            _missed(self, out, given)
        return out

    setattr(load_state_dict, _MARK, True)
    torch.nn.Module.load_state_dict = load_state_dict


def _wrap_setstate(looks):
    """Modules are told their state when they are unpickled. torch.load is not replaced: its warnings name the line that called it."""
    original = torch.nn.Module.__setstate__
    if getattr(original, _MARK, False):
        return
    reads = getattr(inspect.unwrap(torch.load), "__code__", None)

    @_guard.guard
    def took(module):
        if compat.runs_under(reads):
            for p in list(module._parameters.values()):
                if p is not None:
                    _put(p)

    @functools.wraps(original)
    def __setstate__(self, state):
        original(self, state)
        if looks():
            took(self)

    setattr(__setstate__, _MARK, True)
    torch.nn.Module.__setstate__ = __setstate__


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


@_guard.guard
def _note(module, before, keys, given):
    """Keep which names fitted. A later call for the same module counts instead of an earlier one."""
    at = id(module)
    _loads.pop(at, None)
    if not (keys.missing_keys or keys.unexpected_keys) or len(_loads) >= MOST_LOADS:
        return
    facts = {
        "module": names.class_name(names.unwrap(module)),
        "given": len(given),
        "matched": len(given) - len(keys.unexpected_keys),
        "missing": len(keys.missing_keys),
        "unexpected": list(keys.unexpected_keys[:MOST_NAMES]),
        "absent": list(keys.missing_keys[:MOST_NAMES]),
    }
    _loads[at] = (weakref.ref(module, lambda _: _loads.pop(at, None)), facts, {name: values for name, (_, values) in before.items()})


@_guard.guard
def _missed(module, keys, given):
    """Outside of the first steps only a call that loaded nothing is noted: there the values are still those of before."""
    _loads.pop(id(module), None)
    if given and len(keys.unexpected_keys) == len(given):
        _note(module, _before(module), keys, given)


def gather():
    """[LoadFact] of the modules that are there."""
    out = []
    for ref, facts, before in list(_loads.values()):
        module = ref()
        if module is None:
            continue
        parameters = list(_parameters(module))
        changed = [p for name, p in parameters if loaded(p) or not p.requires_grad and _some(p) != before.get(name)]
        trained = any(p.requires_grad for _, p in parameters)
        out.append(dict(facts, parameters=len(parameters), loaded=len(changed), trained=trained))
    return out


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


def _put(parameter):
    at = id(parameter)
    _loaded[at] = weakref.ref(parameter, lambda _: _loaded.pop(at, None))
