"""Being told of updates of the weights.

PyTorch 2.x has global optimiser step hooks. 1.13 has none: there the ``step``
of every optimiser class is wrapped. A GradScaler that finds an overflow never
calls ``step``; its own ``step`` is wrapped to notice that. Nothing tells that an
optimiser was made: ``__init__`` is wrapped for it, because a step ends with the
last of several optimisers, those that have not stepped yet among them. In PyTorch 2.0 to 2.2
loading the compiler takes the hooks off the optimisers made later; ``step`` is
wrapped there too when that happens, and what fires twice counts once.
"""

import functools

import torch

from vigil import _guard, _marks
from vigil._torch import compat

_OURS = "_vigil_wrapped"


def install(tracker):
    """Report every update: tracker.before_update(optimiser, args, kwargs), after_update(optimiser), update_skipped(optimiser)."""
    lane = tracker.lane
    begins, ends = tracker.marks.begins, tracker.marks.ends

    @_guard.guard
    def before(optimiser, args, kwargs):
        if compat.is_compiling():
            return None
        out = None
        if not (lane.armed and lane.before(optimiser, args, kwargs)):
            out = tracker.before_update(optimiser, args, kwargs)
        begins(_marks.OPTIMIZER)
        return out

    @_guard.guard
    def after(optimiser, args, kwargs):
        if compat.is_compiling():
            return None
        ends(_marks.OPTIMIZER)
        if lane.armed and lane.after(optimiser):
            return None
        return tracker.after_update(optimiser)

    made = _wrap_init()
    made.append(_guard.guard(tracker.optimiser_made))
    if compat.HAS_OPTIMISER_HOOKS:
        compat.OPTIMISER.register_optimizer_step_pre_hook(before)
        compat.OPTIMISER.register_optimizer_step_post_hook(after)
    else:
        _patch_optimisers(before, after, made)
    tracker.patch_optimisers = lambda: _patch_optimisers(before, after, made)
    for scaler in _scalers():
        _patch_scaler(scaler, tracker)


def closure_in(args, kwargs):
    """(where, closure) of a closure passed to step: an index of args or "closure"; (None, None) without one."""
    if len(args) > 1 and callable(args[1]):
        return 1, args[1]
    closure = kwargs.get("closure")
    if callable(closure):
        return "closure", closure
    return None, None


def with_closure(where, closure, args, kwargs):
    """The arguments of step with another closure."""
    if where == "closure":
        return args, dict(kwargs, closure=closure)
    args = list(args)
    args[where] = closure
    return tuple(args), kwargs


def _wrap_init():
    """The functions that are called with each optimiser that is made, a list to add to."""
    base = torch.optim.Optimizer
    original = base.__init__
    made = getattr(original, _OURS, None)
    if made is not None:
        return made
    made = []

    @functools.wraps(original)
    def init(self, *args, **kwargs):
        original(self, *args, **kwargs)
        for told in made:
            told(self)

    setattr(init, _OURS, made)
    base.__init__ = init
    return made


def _patch_optimisers(before, after, made):
    """Wrap step of all optimiser classes, present and to come: once."""
    base = torch.optim.Optimizer
    if len(made) > 1:
        return

    def wrap(cls):
        step = cls.__dict__.get("step")
        if step is None or getattr(step, _OURS, False) or not callable(step):
            return

        @functools.wraps(step)
        def wrapped(self, *args, **kwargs):
            new = before(self, (self,) + args, kwargs)
            if new is not None:
                args, kwargs = new[0][1:], new[1]
            out = step(self, *args, **kwargs)
            after(self, args, kwargs)
            return out

        setattr(wrapped, _OURS, True)
        cls.step = wrapped

    def wrap_all(cls):
        for one in cls.__subclasses__():
            wrap(one)
            wrap_all(one)

    @_guard.guard
    def wrap_of(kind):
        for cls in kind.__mro__:
            if cls is not base and cls is not object:
                wrap(cls)

    wrap_all(base)
    made.append(lambda optimiser: wrap_of(type(optimiser)))


def _scalers():
    """The GradScaler classes whose step is defined there."""
    found = []
    for package in (getattr(torch, "amp", None), getattr(getattr(torch.cuda, "amp", None), "grad_scaler", None)):
        scaler = getattr(package, "GradScaler", None)
        if scaler is not None and "step" in scaler.__dict__ and scaler not in found:
            found.append(scaler)
    return found


def _patch_scaler(scaler, tracker):
    original = scaler.step
    if getattr(original, _OURS, False):
        return

    @_guard.guard
    def skipped(optimizer):
        if not compat.is_compiling():
            tracker.update_skipped(optimizer)

    @functools.wraps(original)
    def step(self, optimizer, *args, **kwargs):
        seen = tracker.updates
        out = original(self, optimizer, *args, **kwargs)
        if tracker.updates == seen:
            skipped(optimizer)
        return out

    setattr(step, _OURS, True)
    scaler.step = step
