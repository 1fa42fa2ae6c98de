"""What a ReduceLROnPlateau was given, and when it lowered the rate.

A trainer's key for the metric, or the words in the script's call, tell what kind of number it is.
"""

import functools
import linecache
import re
import sys

import torch

from vigil import _guard
from vigil._torch import settings
from vigil._torch.variables import variables

MOST = 200  # metrics that are kept, the first ones
_FRAMES = 12  # above the call
_CALL = re.compile(r"step\((.*)")
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_LIBRARIES = frozenset(("vigil", "torch", "accelerate", "lightning", "pytorch_lightning", "transformers", "contextlib"))
_KEYS = ("monitor_key", "metric_to_check")  # variables of trainers
_OURS = "_vigil_wrapped"


class Plateau(object):
    """The calls of a training's first scheduler of this kind."""

    def __init__(self):
        self.of = None  # id of the scheduler
        self.facts = None

    def take(self, scheduler, metric, before, after, names):
        """It was stepped. before, after: rates of the optimiser's groups; names() gives words."""
        value = settings.plain(metric)
        if value is None or self.of not in (None, id(scheduler)):
            return
        if self.facts is None:
            self.of = id(scheduler)
            self.facts = {"mode": str(scheduler.mode), "patience": int(scheduler.patience), "names": names(), "metrics": [], "lowered": []}
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
        plateau = tracker.facts.schedule.plateau
        plateau.take(scheduler, metric, before, _rates(scheduler), _names)

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


def _names():
    """Words of the call in the script, or the key by which a trainer looked the metric up."""
    frame, words = sys._getframe(1), []
    for _ in range(_FRAMES):
        if frame is None:
            break
        inside = str(frame.f_globals.get("__name__", "")).split(".")[0]
        for key in _KEYS:
            if key in frame.f_code.co_varnames:
                value = variables(frame).get(key)
                if type(value) is str:
                    return [value]
        if not words and inside not in _LIBRARIES:
            found = _CALL.search(linecache.getline(frame.f_code.co_filename, frame.f_lineno))
            words = _WORD.findall(found.group(1))[:10] if found else []
        frame = frame.f_back
    return words
