"""Where in the script softmax or sigmoid is called that stands between the last layer and the loss.

During one of the first steps the functions are replaced by such as note their
results. Which of them the loss came of shows in its graph, when backward begins.
"""

import functools

import torch

from vigil import _guard
from vigil._torch import call_places, compat

MOST = 64  # calls that are noted
DEEP = 8  # operations from the loss that are looked at
_FUNCTIONS = ((torch, "sigmoid"), (torch, "softmax"), (torch.nn.functional, "sigmoid"), (torch.nn.functional, "softmax"))


class FunctionPlaces(object):
    """Those of one step."""

    def __init__(self, calls):
        self.calls = calls  # Calls that get the place
        self.noted = []  # (function, what the graph has of its result, Place or None)
        self.originals = []  # (where, name, function, ours)

    @_guard.guard
    def begins(self):
        """The step begins, or its forward. A compiler would follow what stands in the functions' place."""
        if compat.compiler_used or self.originals or not call_places.wanted():
            return
        self.noted = []
        compat.before_compiler.append(self.ends)
        for where, name in _FUNCTIONS:
            original = getattr(where, name)
            ours = self._noting(name, original)
            self.originals.append((where, name, original, ours))
            setattr(where, name, ours)

    def _noting(self, name, original):
        @_guard.guard
        def note(out):
            node = out.grad_fn if isinstance(out, torch.Tensor) else None
            if node is not None and len(self.noted) < MOST and not any(node is one for _, one, _ in self.noted):
                self.noted.append((name, node, call_places.here()))

        @functools.wraps(original)
        def function(*args, **kwargs):
            out = original(*args, **kwargs)
            note(out)
            return out

        return function

    @_guard.guard
    def backward(self, tensors):
        """backward begins."""
        if not self.originals:
            return
        self.ends()
        noted, self.noted = self.noted, []
        if len(tensors) != 1:
            return
        node = tensors[0].grad_fn
        for _ in range(DEEP):
            below = [one for one, _ in node.next_functions if one is not None] if node is not None else []
            if len(below) != 1:
                return  # a layer, or a loss of several terms
            node = below[0]
            for name, one, place in noted:
                if one is node:
                    # A function of the script's own may be called for something else besides.
                    if place is not None and sum(other is not None and other.facts == place.facts for _, _, other in noted) == 1:
                        self.calls.put("function", name, place)
                    return

    @_guard.guard
    def ends(self):
        """The functions are as they were, but for those that somebody else has replaced since."""
        originals, self.originals = self.originals, []
        if self.ends in compat.before_compiler:
            compat.before_compiler.remove(self.ends)
        for where, name, original, ours in originals:
            if getattr(where, name) is ours:
                setattr(where, name, original)
