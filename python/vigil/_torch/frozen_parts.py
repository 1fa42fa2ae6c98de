"""Parts of a model whose parameters ask for no gradients, and normalisation in them that goes on averaging all the same."""

import weakref

import torch

from vigil._torch import module_kinds, names, summary

MOST = 64  # normalisation modules that are followed


def part(modules, path, least=1):
    """Path of the smallest part around ``path`` with ``least`` parameters, itself included; "" is the model. modules: by path."""
    while path and sum(1 for _, _ in zip(modules[path].parameters(), range(least))) < least:
        path = path.rpartition(".")[0]
    return path


def is_frozen(module):
    """Whether a module has parameters and none asks for a gradient."""
    values = list(module.parameters())
    return bool(values) and not any(p.requires_grad for p in values)


class RunningStatistics(object):
    """Those of normalisation in frozen parts, at the first look and at the last."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.list = []
        self.seen = set()  # ids of modules

    def root(self, root):
        """A model was found: the first look."""
        inner = root.inner()
        if inner is None or root.compiled or root.divided:
            return
        modules = dict(names.walk(inner))
        for path, kind, module in module_kinds.modal(inner):
            if kind != "normalisation" or id(module) in self.seen or len(self.list) >= MOST or not _readable(module):
                continue
            around = part(modules, path, sum(1 for _ in module.parameters()) + 1)
            if is_frozen(modules[around]):
                self.seen.add(id(module))
                self.list.append(_Statistics(module, root.path(path), modules[around], root.path(around)))

    def last(self, beside):
        """The last look. next to: ids of the parameters of copies, which follow what trains."""
        for one in self.list:
            module, around = one.module(), one.around()
            if module is not None and around is not None and is_frozen(around) and not any(id(p) in beside for p in around.parameters()):
                one.compare(module, self.numbers)

    def gather(self, numbers, differs):
        """[AveragedFact]. differs: whether a parameter's values have changed between the looks."""
        found = [one for one in self.list if one.place is not None and one.around() is not None and not any(differs(p) for p in one.around().parameters())]
        return [facts for facts in (one.facts(numbers[one.place]) for one in found) if facts is not None]


class _Statistics(object):
    """One module, held weakly, and what its statistics were."""

    __slots__ = ("module", "path", "around", "part", "mean", "variance", "count", "place")

    def __init__(self, module, path, around, part):
        self.module, self.path = weakref.ref(module), path
        self.around, self.part = weakref.ref(around), part
        self.mean, self.variance, self.count = (x.detach().clone() for x in (module.running_mean, module.running_var, module.num_batches_tracked))
        self.place = None

    def compare(self, module, numbers):
        """Note how far the statistics have gone, by channel: the median counts."""
        if not _readable(module) or module.running_mean.shape != self.mean.shape or module.running_mean.device != self.mean.device:
            return
        with torch.no_grad():
            mean, variance = module.running_mean, module.running_var
            moved = ((mean != self.mean) | (variance != self.variance)).any()
            distance = (mean - self.mean).abs() / (self.variance + module.eps).sqrt()
            ratio = (variance + module.eps) / (self.variance + module.eps)
            told = (moved, self.count, module.num_batches_tracked - self.count, self.variance.min(), distance.median(), ratio.median())
            self.place = numbers.put(torch.stack([x.to(torch.float32) for x in told]))

    def facts(self, told):
        """AveragedFact, or None where nothing has moved."""
        moved, began, batches, least, distance, ratio = told
        module = self.module()
        if not moved or module is None:
            return None
        facts = {"module": self.path, "part": self.part, "began": int(began), "batches": int(batches), "least": summary.number(least)}
        facts.update(distance=summary.number(distance), ratio=summary.number(ratio))
        if module.momentum is not None:
            facts["momentum"] = float(module.momentum)
        return facts


def _readable(module):
    return all(x is not None and summary.readable(x) for x in (module.running_mean, module.running_var, module.num_batches_tracked))
