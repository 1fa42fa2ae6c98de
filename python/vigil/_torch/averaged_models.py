"""Averages of weights by PyTorch's AveragedModel: how often each was called, and how often it had been updated."""

import weakref

from vigil import _guard
from vigil._torch import compat, module_hooks, names
from vigil._torch.steps import TRAIN

MOST = 8


class Averages(object):
    """Of the models that no optimiser trains. Seen from the end of the first look on."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.list = []

    def watch(self):
        """The first look is over: see the calls of those that live."""
        held = {id(p) for o in self.tracker.registry.optimisers() for group in o.param_groups for p in group["params"]}
        for module in self.tracker.registry.modules():
            if len(self.list) < MOST and names.averages(module) and not any(one.module() is module for one in self.list):
                if not any(id(p) in held for p in module.parameters()):
                    self.list.append(_Average(module, self.tracker))

    def detach(self):
        for one in self.list:
            one.handle.remove()
        self.list = []

    def gather(self):
        """AveragesFacts without their place, or None."""
        found = [one.facts() for one in self.list if one.uses]
        return {"list": found} if found else None


class _Average(object):
    """One of them, held weakly."""

    def __init__(self, module, tracker):
        self.module = weakref.ref(module)
        self.type = names.class_name(names.unwrap(module))
        self.uses, self.steps = 0, -1  # calls; TRAIN steps before the last one
        self.updates = None  # the counter of updates as it was then
        counter = tracker.counter

        @_guard.guard
        def about_to_run(module, args):
            if not compat.is_compiling():
                self.uses += 1
                if self.steps != counter.modes[TRAIN]:
                    self.steps, self.updates = counter.modes[TRAIN], module.n_averaged.detach().clone()

        self.handle = module_hooks.before(module, about_to_run)

    def facts(self):
        module = self.module()
        updates = self.updates if module is None else module.n_averaged
        return {"class": self.type, "uses": self.uses, "updates": int(updates), "steps": self.steps}
