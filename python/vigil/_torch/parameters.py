"""All parameters of a training: their values before the first update, whether they get gradients, and whether they change."""

import weakref

import torch

from vigil._torch import loading, module_kinds, names, summary

MOST = 2000  # parameters
VALUES = 600  # of them with values
MOST_OUTSIDE = 200  # parameters that belong to no model
SMALL = 4096  # elements; a parameter of that size is compared as a whole
SAMPLE = 1024  # elements of a larger one, which is compared by them and by its sum


class One(object):
    """A parameter of a root."""

    __slots__ = ("facts", "module", "key", "first", "before", "after", "gradient", "uneven")

    def __init__(self, facts, module, key):
        self.facts = facts
        self.module = weakref.ref(module)
        self.key = key
        self.first = self.before = self.after = self.uneven = None
        self.gradient = None  # of GradientMissing, zero, finite, non_finite the last one seen in this order

    @property
    def value(self):
        module = self.module()
        return None if module is None else module._parameters.get(self.key)


class Parameters(object):
    """Looked at twice: when the models are found, and when the facts are told."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.list = []
        self.outsiders = []
        self.known = {}  # id of a parameter -> One, None of those beyond MOST
        self.roots = set()  # ids of the roots that were looked at
        self.more = 0
        self.updates = 0
        self.weights = {}  # id of a parameter -> (kind, fan-in) that its use in the graph shows
        self.wasted = frozenset()  # ids of those whose gradient nobody uses
        self.rows = {}  # id of an embedding's weight -> the most rows of its gradient that were not zero

    def root(self, root):
        """A model was found: the first look at its parameters."""
        inner = root.inner()
        if inner is None or id(root) in self.roots:
            return
        self.roots.add(id(root))
        modules = dict(names.walk(inner))
        for p in names.parameters(inner):
            value = p.value
            if p.shared is not None or id(value) in self.known or not summary.initialised(value):
                continue
            if len(self.list) >= MOST:
                self.more += 1
                self.known[id(value)] = None
                continue
            one = self._one(p, "%s_%s" % (root.name, p.path), root.path(p.module_path), modules[p.module_path])
            self.list.append(one)
            self.known[id(value)] = one
            if len(self.list) <= VALUES:
                one.first = summary.values(value, self.numbers, rows=value.dim() >= 2, most=summary.MANY)
                if one.first is not None and not one.facts["bias"]:
                    one.uneven = summary.uneven(value, self.numbers)
            one.before = self._mark(value)

    def outside(self, ids, owners):
        """The loss depends on parameters of modules that belong to no model that is known."""
        for module in owners:
            name = names.class_name(names.unwrap(module))
            modules = dict(names.walk(module))
            for p in names.parameters(module):
                if id(p.value) in ids and p.shared is None and summary.initialised(p.value) and len(self.outsiders) < MOST_OUTSIDE:
                    one = self._one(p, "%s_%s" % (name, p.path), ".".join(filter(None, (name, p.module_path))), modules[p.module_path])
                    one.first = summary.values(p.value, self.numbers, rows=p.value.dim() >= 2, most=summary.MANY)
                    self.outsiders.append(one)

    def _one(self, p, name, path, module):
        facts = {
            "name": name,
            "module": path,
            "type": p.module_type,
            "kind": module_kinds.kind(module),
            "shape": [int(n) for n in p.value.shape],
            "bias": names.is_bias(p.path),
            "trained": bool(p.value.requires_grad),
            "fan_in": module_kinds.fan_in(module, p.key, p.value),
            "dtype": summary.dtype(p.value),
        }
        if loading.loaded(p.value):
            facts["loaded"] = True
        return One(facts, p.module, p.key)

    def last(self):
        """The last look."""
        for one in self.list:
            value = one.value
            if value is not None and one.before is not None:
                one.after = self._mark(value)

    def changed(self, value, numbers):
        """Whether the values of a parameter differ between the two looks."""
        one = self.known.get(id(value))
        return one is not None and _differ(one.before, one.after, numbers)

    def _mark(self, value):
        """Place of numbers that report whether values have changed."""
        if not value.numel() or value.is_complex() or not summary.readable(value):
            return None
        with torch.no_grad():
            x = value.detach()
            kind = torch.float32 if x.element_size() <= 4 or x.device.type == "mps" else torch.float64
            total = x.sum(dtype=kind).reshape(1) if x.numel() > SMALL else None
            if x.numel() > SMALL:
                x = x.reshape(-1) if x.is_contiguous() else x[0].reshape(-1)
                x = x[:: max(x.numel() // SAMPLE, 1)]
            x = x.reshape(-1).to(kind)
            if x.device.type == "cpu":
                return x.clone() if total is None else torch.cat([x, total])
            # On a device a sum of all and of a part say it; more would have to be kept there or copied.
            return self.numbers.put(torch.stack([x.sum(), x.abs().sum(), (x * torch.arange(1, x.numel() + 1, device=x.device, dtype=kind)).sum()]))

    def gather(self, numbers, held, gradients, more, anew, trained=frozenset(), loose=()):
        """ParameterFacts without their place, or None.

        held: ids of parameters that an optimiser holds; gradients: id -> state; more: id -> further fields; again: [AnewFact];
        trained: ids of those that an earlier training has trained, which are left out unless held; loose: [LooseFact].
        """
        if not self.list and not loose:
            return None
        out = []
        for one in self.list:
            value = one.value
            if value is None:
                continue  # it was removed from the model
            if id(value) in trained and id(value) not in held:
                continue
            facts = dict(one.facts)
            facts["held"] = id(value) in held
            facts["gradient"] = gradients.get(id(value), "missing")
            facts["changed"] = _differ(one.before, one.after, numbers)
            if id(value) in self.weights and (facts["kind"] in ("other", "container") or not facts["fan_in"]) and not facts["bias"]:
                facts["use"], facts["fan_in"] = self.weights[id(value)]
            if id(value) in self.wasted:
                facts["wasted"] = True
            if id(value) in self.rows:
                facts["rows"] = self.rows[id(value)]
            if value is not None:
                facts.update(more.get(id(value), {}))
            if one.first is not None:
                facts["first"] = one.first.gather(numbers)
            if one.uneven is not None:
                facts["uneven"] = summary.number(max(numbers[one.uneven]))
            out.append(facts)
        facts = {"list": out, "updates": self.updates}
        if self.more:
            facts["more"] = self.more
        outside = []
        for one in self.outsiders:
            if one.value is not None and id(one.value) not in held:
                outside.append(dict(one.facts, held=False, gradient="", changed=False, first=one.first.gather(numbers)))
                if id(one.value) in self.wasted:
                    outside[-1]["wasted"] = True
        if outside:
            facts["outside"] = outside
        loads = loading.gather()
        if loads:
            facts["loads"] = loads
        if anew:
            facts["anew"] = anew
        if loose:
            facts["loose"] = loose
        return facts


def _differ(before, after, numbers):
    if before is None or after is None:
        return False
    if isinstance(before, torch.Tensor):
        return before.shape != after.shape or not bool(((before == after) | ((before != before) & (after != after))).all())
    return numbers[before] != numbers[after]
