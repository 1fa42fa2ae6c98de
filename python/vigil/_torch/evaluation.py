"""How a model is in evaluation, and whether it is trained as it is there."""

import torch

from vigil import _guard
from vigil._torch import call_places, frozen_parts, module_hooks, module_kinds, names, summary
from vigil._torch.no_grad_passes import NoGradPasses
from vigil._torch.steps import TRAIN

STEPS = 2  # EVAL steps that are looked at
MODULES = 20  # whose running statistics are compared with a batch
LISTED = 50
_LAYERS = frozenset(("linear", "convolution", "recurrent", "attention", "embedding"))


class Evaluation(object):
    """The first EVAL steps: what is still in training mode, and running statistics."""

    def __init__(self, look):
        self.look = look
        self.numbers = summary.Numbers()
        self.steps = 0
        self.training = {}  # path -> kind
        self.root_training = False
        self.statistics = {}  # path -> place
        self.functional = False  # F.dropout dropped
        self.original = None  # of F.dropout, while another is in its place
        self.layer = None  # (path, values) of the first layer with a weight that ran
        self.passes = NoGradPasses(look, self.numbers)
        self.handles = []
        self.step = None
        self.call = None  # Place in the script that ran it

    def begins(self, root, module, step):
        """A root is about to run in an EVAL step."""
        inner = root.inner()
        if self.ready or self.step is step or inner is None or step.maybe_train:
            return
        if not any(one is inner for one in module.modules()):
            inner = module  # a copy of the model, which has a mode of its own
        modal = module_kinds.modal(inner)
        if any(kind == "normalisation" and one.training and getattr(one, "momentum", 0.1) in (None, 1) for _, kind, one in modal):
            return  # its running statistics are made again, from these batches: no evaluation
        self.step = step
        if self.call is not None:
            self.call.again()
        elif call_places.wanted():
            self.call = call_places.here()
        if inner.training and not root.compiled:
            self.handles.append(self.passes.begins(module, self.look.tracker.counter.modes[TRAIN]))
        if self.steps < STEPS:
            self._look(root, module, inner, modal)

    def _look(self, root, module, inner, modal):
        """See how the model stands, and what its first layer and its normalisation get."""
        for path, kind, one in modal:
            if one.training:
                self.training[root.path(path)] = kind
        self.root_training = self.root_training or bool(inner.training)
        if root.compiled:
            return
        hidden = names.hidden(inner)
        if self.layer is None:
            layers = [(path, one) for path, one in names.walk(inner) if module_kinds.kind(one) in _LAYERS and id(one) not in hidden]
            for path, one in layers[:MODULES]:
                self._first(root.path(path), one)
        if not hidden:
            self._functional(module, bool(inner.training))
        if not self.statistics:
            still = [(path, one) for path, kind, one in modal if kind == "normalisation" and not one.training and id(one) not in hidden]
            for path, one in still[:MODULES]:
                self._compare(root.path(path), one)

    def _functional(self, module, training):
        """While ``module`` runs, see F.dropout drop: in evaluation mode only where it is not told of it, because then nobody meant that."""
        look, space = self.look, torch.nn.functional
        self._restore()
        original = self.original = space.dropout

        def dropout(*args, **kwargs):
            said = args[2] if len(args) > 2 else kwargs.get("training")
            if (said is None or training and said) and (args[1] if len(args) > 1 else kwargs.get("p", 0.5)) != 0:
                self.functional = True
            return original(*args, **kwargs)

        @_guard.guard
        def ran(module, args, output):
            if look.here():
                self._restore()

        space.dropout = dropout
        self.handles.append(module_hooks.after(module, ran))

    def _restore(self):
        if self.original is not None:
            torch.nn.functional.dropout, self.original = self.original, None

    def _first(self, path, module):
        """See what a layer gets, if it is the first to run."""
        look = self.look

        @_guard.guard
        def runs(module, args):
            if look.here() and self.layer is None and args:
                with look.timed():
                    x = args[0]
                    fit = isinstance(x, torch.Tensor) and x.is_floating_point() and x.numel() and summary.readable(x)
                    self.layer = (path, summary.described(x), summary.values(x, self.numbers)) if fit else (path, None, None)

        self.handles.append(module_hooks.before(module, runs))

    def _compare(self, path, module):
        look = self.look

        @_guard.guard
        def runs(module, args):
            if look.here() and path not in self.statistics and args:
                with look.timed():
                    self._distance(path, module, args[0])

        self.handles.append(module_hooks.before(module, runs))

    def _distance(self, path, module, x):
        mean, variance = module.running_mean, module.running_var
        if mean is None or not isinstance(x, torch.Tensor) or x.dim() < 2 or x.shape[1] != mean.numel() or not x.numel():
            return
        if not summary.readable(x) or not summary.readable(mean) or not x.is_floating_point() or x.numel() // x.shape[1] < 2:
            return
        with torch.no_grad():
            x = x.detach()
            kind = torch.float32
            rows = max((1 << 20) // max(x[0].numel(), 1), 2)
            here, at = torch.var_mean(x[:rows].to(kind), dim=[i for i in range(x.dim()) if i != 1], unbiased=False)
            real = here > 0
            distance = torch.where(real, (mean.to(kind) - at).abs() / here.sqrt(), torch.zeros_like(at)).max()
            ratio = torch.where(real, variance.to(kind) / here, torch.ones_like(here)).median()
            self.statistics[path] = self.numbers.put(torch.stack([distance, ratio]))

    def ends(self, step):
        """A step has closed."""
        if self.step is step and step is not None:
            self.step = None
            self.detach()
            self.steps += 1

    def detach(self):
        self._restore()
        handles, self.handles = self.handles, []
        for handle in handles:
            handle.remove()

    @property
    def ready(self):
        asked = self.root_training and (self.training or self.functional) and self.passes.count
        return self.steps >= STEPS and (not asked or self.passes.known)

    def gather(self):
        """EvaluationFacts without their place, or None."""
        if not self.steps:
            return None
        numbers = self.numbers.read()
        out = {"steps": min(self.steps, STEPS), "root_training": self.root_training}
        if self.call is not None and call_places.wanted():
            out.update(self.call.gather())
        purpose = self.passes.purpose(numbers) if self.root_training else None
        if purpose:
            out["purpose"] = purpose
        if self.training:
            out["training"] = list(self.training)[:LISTED]
            out["kinds"] = sorted(set(self.training.values()))
        if self.statistics:
            out["statistics"] = [
                {"module": path, "distance": summary.number(numbers[place][0]), "ratio": summary.number(numbers[place][1])}
                for path, place in self.statistics.items()
            ]
        if self.functional:
            out["functional_dropout"] = True
        if self.layer is not None and self.layer[1] is not None:
            path, facts, values = self.layer
            out["layer"] = path
            out["input"] = summary.read(dict(facts, values=values), numbers)
        return out


class EvalParts(object):
    """What is in evaluation mode of a model that is trained, looked at once."""

    AFTER = 3  # updates in training mode

    def __init__(self):
        self.seen = 0
        self.facts = None

    def update(self, root):
        """A TRAIN step of ``root`` has closed."""
        inner = root.inner() if root is not None and self.seen < self.AFTER else None
        if inner is None or not inner.training:
            return
        self.seen += 1
        if self.seen == self.AFTER:
            self.facts = _still(root, inner) or None


def _still(root, inner):
    """{modules, kinds, frozen} of what is in evaluation mode, or nothing."""
    still = [(path, kind) for path, kind, one in module_kinds.modal(inner) if not one.training][:LISTED]
    if not still:
        return {}
    modules = dict(names.walk(inner))
    facts = {"modules": [root.path(path) for path, _ in still], "kinds": sorted({kind for _, kind in still})}
    frozen = [root.path(path) for path, _ in still if frozen_parts.is_frozen(modules[frozen_parts.part(modules, path)])]
    if frozen:
        facts["frozen"] = frozen
    return facts


class EvalTrained(object):
    """Updates while the model is in evaluation mode."""

    IN_A_ROW = 3

    def __init__(self):
        self.trained = False  # the model was seen in training mode
        self.row = 0
        self.since = None  # the first step of the row
        self.facts = None

    def update(self, root, step):
        """A TRAIN step of ``root`` has closed. step: its number, and that among TRAIN steps."""
        inner = root.inner() if root is not None else None
        if self.facts is not None or inner is None:
            return
        if inner.training:
            self.trained = True
            self.row = 0
            return
        self.row += 1
        if self.row == 1:
            self.since = {"step": step[0], "mode_step": step[1]}
        if self.row >= self.IN_A_ROW:
            self.facts = dict(_still(root, inner) or {"modules": [], "kinds": []}, always=not self.trained, since=self.since)
