"""An optimiser whose parameters stop being trained in the middle of a run, or never are, while those of another instance of the model get gradients.

Asked of one parameter at each update; what takes longer happens once, when nothing came to any of them for a while.
"""

import itertools
import weakref

import torch

from vigil._torch import names, summary

LONG = 24  # updates without anything new
EVERY = 16  # updates between two looks at gradients that are there
SAMPLE = 8  # of them that are looked at
MOST = 2000  # parameters that are gone through


class StaleParameters(object):
    """Follows the optimisers of one training, once the first look is over."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.facts = None
        self.held = {}  # id of an optimiser's state -> _Held; None: nothing more to ask

    def update(self, state, optimiser, step):
        """An optimiser is about to step, in ``step``."""
        if self.facts is not None or not step.backwards or self.tracker.by_hand or any(root.divided for root in self.tracker.roots):
            return
        held = self.held.get(id(state), self)
        if held is None:
            return
        if held is self:
            held = self.held[id(state)] = _Held()
        if held.idle(optimiser, step.mode_step) < LONG:
            return
        self.held[id(state)] = None
        with self.tracker.facts.look.timed():
            other = _other(optimiser, self.tracker.registry)
        if other is not None:
            self.facts = {
                "since": held.since,
                "optimiser": state.type,
                "model": names.class_name(names.unwrap(other)),
                "parameters": sum(1 for _ in other.parameters()),
            }
            if held.never:
                self.facts["never"] = True
            elif not held.none:
                self.facts["latest"] = True  # gradients were left there: looks at them are EVERY updates apart


class _Held(object):
    """How long nothing came to the parameters of one optimiser."""

    def __init__(self):
        self.n = self.since = 0
        self.none = self.stale = 0  # updates in a row without gradients; looks in a row at which those that were there had not changed
        self.never = True  # no gradient was there yet
        self.one = None  # weak reference to a parameter that had a gradient
        self.left = None  # [(weak reference to a gradient, its version)] at the update before

    def idle(self, optimiser, step):
        """Updates in a row for which no gradient came."""
        self.n += 1
        one = self.one() if self.one is not None else None
        if one is None or one.grad is None:
            one = next((p for p in _parameters(optimiser) if p.grad is not None), None)
            if one is None:
                self.none = self._more(self.none, True, step)
                return self.none
            self.one, self.never = weakref.ref(one), False
        self.none = 0
        if self.n % EVERY == 0:
            self.left = [(weakref.ref(p.grad), p.grad._version) for p in _sample(optimiser) if p.grad is not None]
        elif self.left:
            self.stale = self._more(self.stale, self._same(optimiser) or one.device.type == "cpu" and _zero(optimiser), step)
            self.left = None
        return self.stale * EVERY

    def _more(self, row, nothing, step):
        if nothing and not row:
            self.since = step
        return row + 1 if nothing else 0

    def _same(self, optimiser):
        now = [p.grad for p in _sample(optimiser) if p.grad is not None]
        return len(now) == len(self.left) and all(ref() is grad and grad._version == version for (ref, version), grad in zip(self.left, now))


def _parameters(optimiser):
    return itertools.islice((p for group in optimiser.param_groups for p in group["params"]), MOST)


def _sample(optimiser):
    every = list(_parameters(optimiser))
    return every[:: max(len(every) // SAMPLE, 1)][:SAMPLE]


def _zero(optimiser):
    """Whether all gradients are there, and zero."""
    grads = [p.grad for p in _sample(optimiser)]
    if any(g is None or not summary.readable(g) for g in grads):
        return False
    with torch.no_grad():
        return not any(bool(g.any()) for g in grads) and not any(p.grad is not None and bool(p.grad.any()) for p in _parameters(optimiser))


def _other(optimiser, registry):
    """A module built like what the optimiser trained that has gradients, and of which no optimiser has anything; None without one."""
    held = {id(p) for o in registry.optimisers() for group in o.param_groups for p in group["params"]}
    shapes = sorted(tuple(p.shape) for p in _parameters(optimiser))
    for module in registry.modules():
        ps = list(itertools.islice(module.parameters(), MOST))
        if len(ps) < len(shapes) or any(id(p) in held for p in ps):
            continue
        if not any(p.grad is not None for p in ps):
            continue
        if shapes in (sorted(tuple(p.shape) for p in ps), sorted(tuple(p.shape) for p in ps if p.requires_grad)):
            return module
    return None
