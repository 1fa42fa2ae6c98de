"""How a model stands in evaluation, and whether it is trained as it stands there."""

import torch

from vigil import _guard
from vigil._torch import kinds, summary

STEPS = 2  # EVAL steps that are looked at
MODULES = 20  # whose running statistics are compared with a batch
LISTED = 50


class Evaluation(object):
    """The first EVAL steps: what is still in training mode, and running statistics."""

    def __init__(self, look):
        self.look = look
        self.numbers = summary.Numbers()
        self.steps = 0
        self.training = {}  # path -> kind
        self.root_training = False
        self.statistics = {}  # path -> place
        self.handles = []
        self.step = None

    def begins(self, root, module, step):
        """A root is about to run in an EVAL step."""
        inner = root.inner()
        if self.steps >= STEPS or self.step is step or inner is None or step.maybe_train:
            return
        self.step = step
        modal = kinds.modal(inner)
        for path, kind, one in modal:
            if one.training:
                self.training[root.path(path)] = kind
        self.root_training = self.root_training or bool(inner.training)
        if not self.statistics and not root.compiled:
            still = [(path, one) for path, kind, one in modal if kind == "normalisation" and not one.training]
            for path, one in still[:MODULES]:
                self._compare(root.path(path), one)

    def _compare(self, path, module):
        look = self.look

        @_guard.guard
        def runs(module, args):
            if look.here() and path not in self.statistics and args:
                with look.timed():
                    self._distance(path, module, args[0])

        self.handles.append(module.register_forward_pre_hook(runs))

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
        handles, self.handles = self.handles, []
        for handle in handles:
            handle.remove()

    @property
    def ready(self):
        return self.steps >= STEPS

    def gather(self):
        """EvaluationFacts without their place, or None."""
        if not self.steps:
            return None
        numbers = self.numbers.read()
        out = {"steps": self.steps, "root_training": self.root_training}
        if self.training:
            out["training"] = list(self.training)[:LISTED]
            out["kinds"] = sorted(set(self.training.values()))
        if self.statistics:
            out["statistics"] = [
                {"module": path, "distance": summary.number(numbers[place][0]), "ratio": summary.number(numbers[place][1])}
                for path, place in self.statistics.items()
            ]
        return out


class EvalTrained(object):
    """Updates while the model stands in evaluation mode."""

    IN_A_ROW = 3

    def __init__(self):
        self.trained = False  # the model was seen in training mode
        self.row = 0
        self.facts = None

    def update(self, root):
        """A TRAIN step of ``root`` has closed."""
        inner = root.inner() if root is not None else None
        if self.facts is not None or inner is None:
            return
        if inner.training:
            self.trained = True
            self.row = 0
            return
        self.row += 1
        if self.row >= self.IN_A_ROW:
            still = [(root.path(path), kind) for path, kind, one in kinds.modal(inner) if not one.training]
            self.facts = {
                "modules": [path for path, _ in still][:LISTED],
                "kinds": sorted({kind for _, kind in still}),
                "always": not self.trained,
            }
