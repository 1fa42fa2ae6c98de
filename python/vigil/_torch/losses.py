"""Losses: what ``backward`` was called on, and what loss modules gave.

The values of one update are gathered by the place in the script that called
``backward`` (its call site): those of one site are micro-batches and averaged,
or added where each is a sum divided by the number of terms of all of them (see
graph.shares); those of different sites before one update are parts of one loss
and added.
"""

import re
import sys
import weakref

import torch

from vigil import _guard, _marks
from vigil._torch import compat, device, graph, module_hooks, sharded_tensors
from vigil._torch.deferred_values import Mean
from vigil._torch.steps import EVALUATION

_LOSS_NAME = re.compile("[Ll]oss|[Cc]riterion")
# Frames between a script and our hooks; not the script's own.
_SKIP_FILES = (torch.nn.modules.module.__file__, torch._tensor.__file__, torch.autograd.__file__, graph.__file__, __file__)
_skip_codes = {}


def call_site(depth):
    """What identifies the place in the script that the present call came from: code and position in it."""
    frame = sys._getframe(depth + 1)
    for _ in range(32):
        code = frame.f_code
        skip = _skip_codes.get(id(code))  # the hash of a code object itself would read all of it
        if skip is None:
            name = code.co_filename
            skip = _skip_codes[id(code)] = name in _SKIP_FILES or "vigil/_torch" in name or name.endswith("vigil/_guard.py")
        if not skip or frame.f_back is None:
            break
        frame = frame.f_back
    return id(code), frame.f_lasti


def is_loss(module):
    """Whether a module is a loss by its class: torch's own, or one whose class name says so."""
    return isinstance(module, torch.nn.modules.loss._Loss) or _LOSS_NAME.search(type(module).__name__) is not None


def version(tensor):
    """How often a tensor was changed in place; None where nobody counts."""
    return None if tensor.is_inference() else tensor._version


class Pending(object):
    """The losses since the last update, by call site."""

    def __init__(self):
        self.sites = {}
        self.shares = {}  # site -> the graph.Shares of its values

    def add(self, site, value, share=None):
        """A loss of this site; share: the graph.Share of it, None when it is no divided sum."""
        mean = self.sites.get(site)
        if mean is None:
            mean = self.sites[site] = Mean()
        mean.add(value)
        if share is not None:
            self.shares.setdefault(site, []).append(share)

    def take(self):
        """The Means of all sites, whose sum is the loss; the next update begins with none."""
        sites, self.sites = self.sites, {}
        if self.shares:
            shares, self.shares = self.shares, {}
            for site, parts in shares.items():
                mean = sites[site]
                if len(parts) == mean.count and graph.shares(parts):
                    mean.count = 1  # parts of one mean: they are added
        return list(sites.values())

    def copy(self):
        """The state to return to, for closures that are called several times."""
        out = Pending()
        out.shares = {site: list(parts) for site, parts in self.shares.items()}
        for site, mean in self.sites.items():
            copy = out.sites[site] = Mean()
            copy.total, copy.count = mean.total, mean.count
            copy.later = list(mean.later) if mean.later else None
        return out


def samples(given):
    """How many samples a loss is of: the length of the labels, or of what comes first; None where nothing of that is there.

    given: what a loss was called with, the prediction first and the labels second. One sample may come without a dimension for the batch.
    """
    tensors = [value for value in given if isinstance(value, torch.Tensor)]
    if len(tensors) > 1 and not tensors[1].dim():
        return 1
    for tensor in tensors[1:2] + tensors[:1]:
        if tensor.dim():
            return int(tensor.shape[0])
    return None


def _samples_of(module, args, kwargs):
    """How many samples a loss module was called with."""
    given = args + tuple(kwargs.values()) if kwargs else args
    if isinstance(module, torch.nn.CTCLoss) and given and isinstance(given[0], torch.Tensor) and given[0].dim() == 3:
        return int(given[0].shape[1])  # places come first, and labels may follow each other without a dimension for the batch
    return samples(given)


class Output(object):
    """One loss module's outputs at one call site in one mode: a series such as ``CrossEntropyLoss_output_0``."""

    __slots__ = ("name", "type", "mode", "site", "id", "mean", "is_main", "samples", "sums")

    def __init__(self, name, type_name, mode, site):
        self.name = name
        self.type = type_name
        self.mode = mode
        self.site = site
        self.id = None
        self.mean = None
        self.is_main = False  # its tensor was the one that backward was called on
        self.samples = None  # that the outputs in the open step are of, outside of training; 0 where that is not known
        self.sums = False  # the outputs are sums over their samples


class Modules(object):
    """The loss modules that are watched, and what they gave in the open step."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.known = weakref.WeakSet()
        self.explicit = weakref.WeakSet()
        self.outputs = {}  # (mode, class name, site) -> Output
        self.counts = {}  # (mode, class name) -> number of Outputs
        self.fired = []  # Outputs with values in the open step, in order
        self.last = None  # (weak reference to the last output tensor, Output, value, version of the tensor)

    def training_begins(self):
        """Another model is trained: its loss modules may be others, and their series go on under the same names."""
        self.outputs = {}
        self.counts = {}

    def watch(self, module, explicit=False):
        """Hook one loss module."""
        if module in self.known:
            return
        self.known.add(module)
        if explicit:
            self.explicit.add(module)

        begins, ends = self.tracker.marks.begins, self.tracker.marks.ends

        @_guard.guard
        def about_to_run(module, args):
            if not compat.is_compiling():
                begins(_marks.FORWARD)

        @_guard.guard
        def hook(module, args, kwargs, output):
            if not compat.is_compiling():
                ends(_marks.FORWARD)
                self.tracker.loss_output(module, output, args, kwargs)

        module_hooks.before(module, about_to_run)
        compat.forward_hook(module, hook)

    def gave(self, module, output, mode, reader, site, args=(), kwargs=None):
        """A loss module returned ``output`` for its arguments."""
        tensor = output if isinstance(output, torch.Tensor) else _first_scalar(output)
        if tensor is None or tensor.numel() != 1 or device.valueless(tensor) or sharded_tensors.replicated(tensor) is None or device.capturing(tensor):
            return
        kind = type(module).__name__
        out = self.outputs.get((mode, kind, site)) or self._new(mode, kind, site)
        value = reader.read(sharded_tensors.replicated(tensor))
        if out.mean is None:
            out.mean, out.samples = Mean(), None
            self.fired.append(out)
        else:
            # The outermost loss fires last; keep it last when it comes again.
            if self.fired[-1] is not out:
                self.fired.remove(out)
                self.fired.append(out)
        out.mean.add(value)
        if mode in EVALUATION:
            out.sums = getattr(module, "reduction", None) == "sum"
            n = _samples_of(module, args, kwargs)
            out.samples = 0 if n is None or out.samples == 0 else (out.samples or 0) + n
        self.last = (weakref.ref(tensor), out, value, version(tensor))

    def _new(self, mode, kind, site):
        n = self.counts.get((mode, kind), 0)
        self.counts[mode, kind] = n + 1
        out = self.outputs[mode, kind, site] = Output("%s_output_%d" % (kind, n), kind, mode, site)
        return out

    def rename(self, before, mode):
        """What was given in mode ``before`` belongs to ``mode``: evaluation turned out to be training."""
        for i, out in enumerate(self.fired):
            if out.mode == before:
                new = self.outputs.get((mode, out.type, out.site)) or self._new(mode, out.type, out.site)
                new.mean, out.mean = out.mean, None
                self.fired[i] = new
                if self.last is not None and self.last[1] is out:
                    self.last = (self.last[0], new) + self.last[2:]

    def whole(self):
        """The output tensor of the last loss module, unless something was added to it in place (``loss += penalty``)."""
        last = self.last
        tensor = last[0]() if last is not None else None
        return tensor if tensor is not None and version(tensor) == last[3] else None

    def same(self, loss, node):
        """Whether ``loss``, freed of its factors down to ``node``, is the very output of the last loss module. Then that output is marked."""
        last, tensor = self.last, self.whole()
        if tensor is None or not (tensor is loss or (node is not None and tensor.grad_fn is node)):
            return False
        last[1].is_main = True
        return True

    def equals(self, value):
        """Whether the last loss module gave this value: a scaled loss whose own tensor is gone."""
        last = self.last
        if last is None or type(value) is not float or type(last[2]) is not float:
            return False
        if abs(value - last[2]) > 1e-6 * max(abs(value), 1e-30):
            return False
        last[1].is_main = True
        return True

    def take(self, mode):
        """The Outputs with values of the step of this mode that closes: list of (Output, Mean)."""
        self.last = None
        if not self.fired:
            return []
        fired, self.fired = self.fired, []
        out = []
        for output in fired:
            if output.mode != mode:
                self.fired.append(output)
                continue
            mean, output.mean = output.mean, None
            out.append((output, mean))
        return out


def _first_scalar(output):
    """The first one-element tensor of a tuple, list or mapping; attribute or key "loss" first."""
    if isinstance(output, dict):
        items = [output["loss"]] if "loss" in output else list(output.values())
    elif isinstance(output, (tuple, list)):
        items = list(output)
    else:
        items = [getattr(output, "loss", None)]
    for item in items:
        if isinstance(item, torch.Tensor) and item.numel() == 1:
            return item
    return None


def loss_in_output(output):
    """The scalar loss a model itself returned (key or attribute ``loss``, or a bare scalar), or None."""
    if isinstance(output, torch.Tensor):
        return output if output.dim() == 0 and output.is_floating_point() else None
    found = output.get("loss") if isinstance(output, dict) else getattr(output, "loss", None)
    if isinstance(found, torch.Tensor) and found.numel() == 1:
        return found
    return None


def samples_returned(args, output):
    """How many samples the loss is of that a model returned for ``args``; None where that is not known."""
    n = samples(args)
    if n is None:
        items = output.values() if isinstance(output, dict) else output if isinstance(output, (tuple, list)) else ()
        n = next((int(item.shape[0]) for item in items if isinstance(item, torch.Tensor) and item.dim()), None)
    return n
