"""Inputs and outputs of modules, hooked only while something of theirs is due.

Names are ``<module path>_output_<i>`` and ``_input_<i>``, the root's own
``R_output_<i>``; i counts tensors in the order they are met, over repeated calls
of the module in one step.
"""

import torch

from vigil import _guard
from vigil._torch import backend, frames, names

_LIMIT = 256  # tensors of one module in one step


class Activations(object):
    """What the plan asks of modules, and the hooks of the step that is open."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.wanted = []  # (path, side, schedule index)
        self.handles = []
        self.counts = {}
        self.known = {}  # name -> (id, dtype, shape)
        self.told = set()

    def apply(self, plan):
        self.wanted = list(plan.modules)
        self.told.clear()

    def attach(self, step, schedules):
        """Hook the modules that are due when the schedule indexes are."""
        due = {}
        for path, side, index in self.wanted:
            if index in schedules:
                due.setdefault(path, set()).add(side)
        if not due:
            return
        self.counts = {}
        for path, sides in due.items():
            found = self._find(path)
            if found is not None:
                self._hook(found[0], found[1], path, sides, step)

    def detach(self):
        handles, self.handles = self.handles, []
        for handle in handles:
            handle.remove()

    def _find(self, path):
        """(root, module) at an announced path."""
        for root in self.tracker.roots:
            module = root.at(path)
            if module is None:
                continue
            if root.compiled and module is not root.inner():
                self._missing(path, "inside torch.compile: its values are not visible")
                return None
            return root, (root.outer() if module is root.inner() else module)
        for criterion in self.tracker.losses.known:
            if type(criterion).__name__ == path:
                return None, criterion
        self._missing(path, "no module of this name any more")
        return None

    def _missing(self, path, reason):
        if path not in self.told:
            self.told.add(path)
            self.tracker.session.missing([(path, reason, 1)])

    def _hook(self, root, module, path, sides, step):
        tracker = self.tracker
        name = path
        if root is not None and module is root.outer():
            name = root.name
        kind = type(names.unwrap(module)).__name__
        index_path = path

        @_guard.guard
        def hook(module, args, kwargs, output):
            if backend.is_compiling():
                return None
            tracker.activation(self, name, index_path, kind, sides, args, kwargs, output, step)
            return None

        self.handles.append(backend.forward_hook(module, hook))

    def take(self, name, path, kind, sides, args, kwargs, output, step):
        """A hooked module was called: copy what is asked for."""
        if "input" in sides:
            for tensor in _tensors((args, kwargs)):
                self._one(name, "input", path, kind, tensor, step)
        if "output" in sides:
            for tensor in _tensors(output):
                self._one(name, "output", path, kind, tensor, step)

    def _one(self, name, side, path, kind, tensor, step):
        count = self.counts.get((name, side), 0)
        if count >= _LIMIT:
            self._missing("%s_%s_%d" % (name, side, count), "more than %d tensors of one module in one step" % _LIMIT)
            return
        self.counts[name, side] = count + 1
        full = "%s_%s_%d" % (name, side, count)
        tensor = tensor.detach()
        reason = backend.why_not(tensor)
        if reason is None and tensor.layout is not torch.strided:
            tensor = backend.dense(tensor)
            if tensor is None:
                reason = "sparse tensor"
        if reason is not None:
            self._missing(full, reason)
            return
        session = self.tracker.session
        known = self.known.get(full)
        shape = tuple(tensor.shape)
        if known is None:
            info = {"name": full, "kind": side, "dtype": backend.DTYPE_NAMES[tensor.dtype], "shape": list(shape), "module": path, "module_type": kind}
            id = session.announce_tensors([info])[0]
            if id is None:
                return
            known = self.known[full] = (id, shape)
        elif not self._due(known[0], step):
            return
        shape_id = 0 if known[1] == shape else session.shape_id(shape)
        frames.send(session, known[0], tensor, shape_id, (step.number(), step.mode, step.mode_step))

    def _due(self, id, step):
        pairs = self.tracker.session.plan.tensors.get(id)
        return pairs is None or any(i in step.due for i in pairs if i >= 0)


def _tensors(value, depth=0):
    """All tensors in tuples, lists, mappings and dataclasses, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth > 8 or value is None or isinstance(value, (str, bytes, int, float)):
        return
    elif isinstance(value, dict) or (hasattr(value, "keys") and hasattr(value, "__getitem__")):
        for key in list(value.keys()):
            for t in _tensors(value[key], depth + 1):
                yield t
    elif isinstance(value, (tuple, list)):
        for item in value:
            for t in _tensors(item, depth + 1):
                yield t
    elif hasattr(type(value), "__dataclass_fields__"):
        for field in type(value).__dataclass_fields__:
            for t in _tensors(getattr(value, field, None), depth + 1):
                yield t
    elif type(value).__name__ == "PackedSequence":
        yield value.data
