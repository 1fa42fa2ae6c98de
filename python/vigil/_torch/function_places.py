"""Where in the script the loss function is called, and the activation that is between the last layer and the loss.

During one of the first steps the results of the functions are noted: by the
interpreter's events where it has them (function_watch), else, and for functions
that are not written in Python, by functions that stand in their place meanwhile.
Which of them the loss came of shows in its graph, when backward begins.
"""

import collections
import functools
import sys

import torch

from vigil import _guard
from vigil._torch import call_places, compat, function_watch

MOST = 64  # calls that are noted, the last ones
DEEP = 8  # operations from the loss that are looked at
WIDE = 64  # operations, where the loss has several terms
ACTIVATION, LOSS = "function", "loss"  # kinds of record.Call
_ACTIVATIONS = ("log_softmax", "relu", "sigmoid", "softmax", "tanh")
_LOSSES = (
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cross_entropy", "ctc_loss", "gaussian_nll_loss", "hinge_embedding_loss",
    "huber_loss", "kl_div", "l1_loss", "margin_ranking_loss", "mse_loss", "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "nll_loss",
    "poisson_nll_loss", "smooth_l1_loss", "soft_margin_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss",
)  # fmt: skip
_FUNCTIONS = [(where, name, ACTIVATION) for where in (torch, torch.nn.functional, torch.Tensor) for name in _ACTIVATIONS]
_FUNCTIONS += [(torch.nn.functional, name, LOSS) for name in _LOSSES if hasattr(torch.nn.functional, name)]
_KINDS = {name: kind for where, name, kind in _FUNCTIONS if where is torch.nn.functional and hasattr(getattr(where, name), "__code__")}

# Python's warnings pass over frames of such a file when they look for who called: they name the script's line, as without us.
_UNSEEN = __file__ + " importlib._bootstrap"

Noted = collections.namedtuple("Noted", "kind name node place")  # node: what the graph has of the result; place: a Place or None


class FunctionPlaces(object):
    """Those of one step."""

    def __init__(self, calls):
        self.calls = calls  # Calls that get the places
        self.noted = collections.deque(maxlen=MOST)
        self.originals = []  # (where, name, what was there, ours)
        self.on = False  # results are noted
        self.events = None

    @_guard.guard
    def begins(self):
        """The step begins, or its forward. A compiler would follow what is in the functions' place."""
        if compat.compiler_used or self.on or not call_places.wanted():
            return
        self.on = True
        self.noted.clear()
        compat.before_compiler.append(self.ends)
        watched = self._watches()
        for where, name, kind in _FUNCTIONS:
            if watched and where is torch.nn.functional and name in _KINDS:
                continue
            original = getattr(where, name)
            ours = self._noting(where, name, kind, original)
            self.originals.append((where, name, where.__dict__.get(name), ours))
            setattr(where, name, ours)

    def _watches(self):
        """Have the interpreter say what the functions written in Python return; returns whether it does."""
        if self.events is None:
            functions = {name: getattr(torch.nn.functional, name) for name in _KINDS}
            self.events = next((way for way in function_watch.watches(functions, self._returns) if isinstance(way, function_watch.Events)), False)
        return bool(self.events) and self.events.begins(list(_KINDS))

    def _returns(self, name, call, caller, value):
        self._note(_KINDS[name], name, value, caller.f_code)

    @_guard.guard
    def _note(self, kind, name, out, by):
        node = out.grad_fn if isinstance(out, torch.Tensor) else None
        # Called by PyTorch itself it is a part of another function, or of a module.
        if node is not None and not call_places.of_torch(by) and not any(node is one.node for one in self.noted):
            self.noted.append(Noted(kind, name, node, call_places.here()))

    def _noting(self, where, name, kind, original):
        @functools.wraps(original)
        def function(*args, **kwargs):
            # Who compares functions, as subclasses of tensors do, gets to see the original.
            replaced = next((one for one in self.originals if one[3] is function), None)
            if replaced is not None:
                _put_back(replaced)
            try:
                out = original(*args, **kwargs)
            finally:
                if replaced is not None and replaced in self.originals:
                    setattr(where, name, function)
            self._note(kind, name, out, sys._getframe(1).f_code)
            return out

        function.__code__ = function.__code__.replace(co_filename=_UNSEEN)
        return function

    @_guard.guard
    def backward(self, tensors):
        """backward begins."""
        if not self.on:
            return
        self.ends()
        noted = list(self.noted)
        self.noted.clear()
        if len(tensors) == 1 and tensors[0].grad_fn is not None:
            self._losses(tensors[0].grad_fn, [one for one in noted if one.kind == LOSS])
            self._activation(tensors[0].grad_fn, [one for one in noted if one.kind == ACTIVATION])

    def _losses(self, node, noted):
        """The functions that gave the loss, or its terms."""
        level, found, left = [node], [], WIDE
        for _ in range(DEEP):
            below = []
            for node in level:
                here = [one for one in noted if one.node is node]
                found += here
                if not here:
                    below += [one for one, _ in node.next_functions if one is not None]
            level, left = below[:left], left - len(below)
            if left <= 0:
                break
        self._put(found)

    def _put(self, found):
        """Take in the places of losses; of a function that is called at several, none."""
        for one in found:
            if one.place is not None and sum(other.name == one.name for other in found) == 1:
                self.calls.put(LOSS, one.name, one.place)

    def _activation(self, node, noted):
        """The function between the loss and the last layer."""
        for _ in range(DEEP):
            below = [one for one, _ in node.next_functions if one is not None]
            if len(below) != 1:
                return  # a layer, or a loss of several terms
            node = below[0]
            for one in noted:
                if one.node is node:
                    # A function of the script's own may be called for something else besides.
                    if one.place is not None and sum(other.place is not None and other.place.facts == one.place.facts for other in noted) == 1:
                        self.calls.put(ACTIVATION, one.name, one.place)
                    return

    @_guard.guard
    def closed(self):
        """The step closes. Without a backward the losses are those that were computed."""
        if self.on:
            self.ends()
            self._put([one for one in self.noted if one.kind == LOSS])
            self.noted.clear()

    @_guard.guard
    def ends(self):
        """The functions are as they were, but for those that somebody else has replaced since."""
        originals, self.originals, self.on = self.originals, [], False
        if self.events:
            self.events.ends()
        if self.ends in compat.before_compiler:
            compat.before_compiler.remove(self.ends)
        for one in originals:
            if getattr(one[0], one[1]) is one[3]:
                _put_back(one)


def _put_back(replaced):
    """Put what was there in the place of ours: nothing, where a class inherits it."""
    where, name, before, _ = replaced
    if before is None:
        delattr(where, name)
    else:
        setattr(where, name, before)
