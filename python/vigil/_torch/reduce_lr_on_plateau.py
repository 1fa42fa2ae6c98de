"""What a ReduceLROnPlateau was given, and when it lowered the rate."""

import functools

import torch

from vigil import _guard
from vigil._torch import settings

MOST = 200  # metrics that are kept, the first ones
_OURS = "_vigil_wrapped"


class Plateau(object):
    """The calls of a training's first scheduler of this kind."""

    def __init__(self):
        self.of = None  # id of the scheduler
        self.facts = None

    def take(self, scheduler, metric, before, after):
        """It was stepped. before, after: rates of the optimiser's groups."""
        value = settings.plain(metric)
        if value is None or self.of not in (None, id(scheduler)):
            return
        if self.facts is None:
            self.of = id(scheduler)
            self.facts = {"mode": str(scheduler.mode), "patience": int(scheduler.patience), "metrics": [], "lowered": []}
        at = len(self.facts["metrics"])
        if at < MOST:
            self.facts["metrics"].append(value)
            if after and before and max(after) < max(before):
                self.facts["lowered"].append(at)


def install(tracker):
    """Report every step of such a scheduler to the facts."""
    kind = torch.optim.lr_scheduler.ReduceLROnPlateau
    original = kind.step
    if getattr(original, _OURS, False):
        return

    @_guard.guard
    def took(scheduler, metric, before):
        tracker.facts.call("scheduler", "ReduceLROnPlateau")
        tracker.facts.schedule.plateau.take(scheduler, metric, before, _rates(scheduler))

    @functools.wraps(original)
    def step(self, *args, **kwargs):
        before = _rates(self)
        out = original(self, *args, **kwargs)
        took(self, args[0] if args else kwargs.get("metrics"), before)
        return out

    setattr(step, _OURS, True)
    kind.step = step


@_guard.guard
def _rates(scheduler):
    return [r for r in (settings.plain(g.get("lr")) for g in scheduler.optimizer.param_groups) if r is not None]
