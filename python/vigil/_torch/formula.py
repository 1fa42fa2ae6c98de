"""The loss of evaluation where a function computes it without gradients: no module is called, and no graph is left.

The function that the training minimises is known from its graph. While a model
evaluates, and until its loss is there, PyTorch's own implementation of that
function is one that looks at the result. In training it is not.
"""

import torch

from vigil import _guard
from vigil._torch import backend

BLIND = 4  # EVAL steps in a row without a loss, after which no more are looked at

# Function of the training -> where PyTorch implements it: (namespace, name, place of the reduction among the arguments).
_nn = torch._C._nn
_CLASSES = ((_nn, "cross_entropy_loss", 3), (_nn, "nll_loss_nd", 3))
PLACES = {
    "cross_entropy": _CLASSES,
    "nll_loss": _CLASSES,
    "mse_loss": ((_nn, "mse_loss", 2),),
    "l1_loss": ((_nn, "l1_loss", 2),),
    "smooth_l1_loss": ((_nn, "smooth_l1_loss", 2),),
    "huber_loss": ((_nn, "huber_loss", 2),),
    "binary_cross_entropy": ((_nn, "binary_cross_entropy", 3),),
    "binary_cross_entropy_with_logits": ((torch, "binary_cross_entropy_with_logits", 4),),
    "soft_margin_loss": ((_nn, "soft_margin_loss", 2),),
}
_NONE, _MEAN, _SUM = 0, 1, 2
_KNOWN = []  # to torch.jit.script: they live on, so that nothing else gets their ids
_WEIGHED = frozenset(("cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"))  # their third argument are weights


class Formula(object):
    """Looks at one function during the EVAL steps of a training."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.function = ""  # what the training minimises, as it is: without factors and other terms
        self.summed = False
        self.replaced = []  # (namespace, name, original)
        self.looking = {}  # original -> what takes its place
        self.step = None
        self.blind = 0

    def trained(self, function, reduction):
        """The training's loss is what this function gives, with this reduction."""
        if function in PLACES and reduction in ("mean", "sum"):
            self.function, self.summed = function, reduction == "sum"

    @_guard.guard
    def begins(self, step):
        """An EVAL step has begun."""
        if self.replaced:
            self.ends()
        self.tracker.facts.look.as_numbers.ends()  # what looks at the same functions in training
        if not self.function or self.blind >= BLIND or backend.is_compiling():
            return
        self.blind += 1
        self.step = step
        for space, name, place in PLACES[self.function]:
            original = getattr(space, name, None)
            if original is not None:
                setattr(space, name, self.looking.get(original) or self._looking(original, place))
                self.replaced.append((space, name, original))

    def ends(self):
        """Put everything back."""
        replaced, self.replaced = self.replaced, []
        for space, name, original in replaced:
            setattr(space, name, original)
        self.step = None

    def _looking(self, original, place):
        def function(*args, **kwargs):
            out = original(*args, **kwargs)
            if self.step is not None and not backend.is_compiling():
                self._saw(args, place, out)
            return out

        known_to_script(function, original)
        self.looking[original] = function
        return function

    @_guard.guard
    def _saw(self, args, place, out):
        tracker, step = self.tracker, self.step
        if tracker.open is not step or not tracker.facts.look.here() or len(args) <= place:
            return
        value = self._comparable(args, args[place], out)
        if value is None:
            return
        self.ends()
        self.blind = 0
        tracker.eval_loss(step, value)

    def _comparable(self, args, reduction, out):
        """The loss as the training has it, a tensor of one element; None when it cannot be told."""
        if not isinstance(out, torch.Tensor) or out.is_meta:
            return None
        out = out.detach()
        if self.summed:
            return out if reduction == _SUM else out.sum() if reduction == _NONE else None
        if reduction == _MEAN:
            return out if out.numel() == 1 else None
        n = self._terms(args)
        return out.sum() / n if n else None

    def _terms(self, args):
        """How many terms the sum that a function gave has."""
        prediction, target = args[0], args[1]
        if self.function in _WEIGHED and args[2] is not None:
            return 0
        if self.function not in ("cross_entropy", "nll_loss"):
            return max(prediction.numel(), target.numel())
        if target.is_floating_point():
            return prediction.numel() // max(prediction.shape[1 if prediction.dim() > 1 else 0], 1)
        ignored = args[4] if len(args) > 4 else -100
        return int((target != ignored).sum())


def known_to_script(function, original):
    """torch.jit.script knows PyTorch's own functions by their ids: a script that compiles one meanwhile gets the original."""
    table = torch.jit._builtins._get_builtin_table()
    if id(original) in table:
        table[id(function)] = table[id(original)]
        _KNOWN.append(function)
