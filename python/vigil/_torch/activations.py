"""Inputs and outputs of modules, hooked only while something of theirs is due.

Names are ``<module path>_output_<i>`` and ``_input_<i>``, the root's own
``R_output_<i>``; i counts tensors in the order they are met, over repeated calls
of the module in one step. Loss modules and functions go by the name of the class
or function: ``CrossEntropyLoss_input_1``. The tensors that a loss was given are
of the kinds label and prediction, and can be asked for as such.
"""

import torch

from vigil import _guard, _strings
from vigil._torch import compat, labels, module_hooks, names, optimiser_state, sent_tensors, sharded_tensors

_LIMIT = 256  # tensors of one module in one step
_ROLES = ("label", "prediction")


class Activations(object):
    """What the plan asks of modules, and the hooks of the step that is open."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.wanted = []  # (path, side, schedule index)
        self.handles = []
        self.counts = {}
        self.known = {}  # name -> (id, dtype, shape)
        self.told = set()
        self.roles = frozenset()  # label, prediction: what of the losses' arguments is due in the open step
        self.depth = 0  # of calls of loss modules inside one another
        self.inner = []  # (name, role, kind, tensor) of calls inside the outermost
        self.fresh = False  # a loss module gave something since the last backward
        self.sent = sent_tensors.SentTensors()

    def apply(self, plan):
        self.wanted = [m for m in plan.modules if m[1] != optimiser_state.KIND]
        self.told.clear()

    def attach(self, step, schedules):
        """Hook the modules that are due when the schedule indexes are."""
        due = {}
        for path, side, index in self.wanted:
            if index in schedules:
                due.setdefault((path, side in _ROLES), set()).add(side)
        if not due:
            return
        self.counts = {}
        self.sent.clear()
        roles = due.pop(("", True), frozenset())
        losses = {}
        for (path, _), sides in due.items():
            found = self._find(path)
            if found is not None:
                self._hook(found[0], found[1], path, sides, step)
            elif any(type(one).__name__ == path for one in self.tracker.losses.known):
                losses[path] = sides
        self._hook_losses(losses, roles, step)

    def detach(self):
        handles, self.handles = self.handles, []
        for handle in handles:
            handle.remove()
        self.roles = frozenset()
        self.inner = []
        self.sent.clear()

    def _find(self, path):
        """(root, module) at an announced path."""
        for root in self.tracker.roots:
            module = root.at(path)
            if module is None:
                continue
            if module is not root.inner() and (root.compiled or id(module) in root.hidden):
                self._missing(path, "inside torch.compile: its values are not visible")
                return None
            return root, (root.outer() if module is root.inner() else module)
        if self.tracker.roots and not any(type(one).__name__ == path for one in self.tracker.losses.known):
            self._missing(path, "no module of this name any more")
        return None

    def _missing(self, path, reason):
        if path not in self.told:
            self.told.add(path)
            self.tracker.session.missing([(path, reason, 1)])

    def _hook(self, root, module, path, sides, step):
        tracker = self.tracker
        name = root.name if module is root.outer() else path
        kind = names.family(names.unwrap(module))

        @_guard.guard
        def hook(module, args, kwargs, output):
            if compat.is_compiling() or torch.jit.is_tracing():
                return None
            tracker.activation(self.take, name, path, kind, sides, args, kwargs, output, step)
            return None

        self.handles.append(compat.forward_hook(module, hook))

    def _hook_losses(self, losses, roles, step):
        """Watch loss modules: those of ``losses`` (class name -> sides), and all for ``roles``."""
        self.roles = frozenset(roles)
        self.depth, self.inner, self.fresh = 0, [], False
        for module in list(self.tracker.losses.known) if losses or roles else ():
            sides = losses.get(type(module).__name__, frozenset()) | self.roles
            if sides:
                self._hook_loss(module, sides, step)

    def _hook_loss(self, module, sides, step):
        tracker = self.tracker

        @_guard.guard
        def begins(module, args):
            if not compat.is_compiling() and not tracker.again():
                self.depth += 1

        @_guard.guard
        def hook(module, args, kwargs, output):
            if not compat.is_compiling() and not tracker.again():
                self.depth -= 1
                tracker.activation(self.take_loss, module, sides, args, kwargs, output, step)
            return None

        self.handles.append(module_hooks.before(module, begins))
        self.handles.append(compat.forward_hook(module, hook))

    def take_loss(self, module, sides, args, kwargs, output, step):
        """A loss module was called. Of losses inside one another the outermost counts, unless it was given no labels itself."""
        kind = type(module).__name__
        prediction, label = labels.roles(module, args, kwargs)
        mine = []
        for tensor in tensors((args, kwargs)):
            role = "label" if tensor is label else "prediction" if tensor is prediction else "input"
            full = self._number(kind, "input")
            if full is None:
                break
            if "input" in sides:
                self._one(full, role, kind, kind, tensor, step)
            elif role in sides:
                mine.append((full, role, kind, tensor))
        if "output" in sides:
            for tensor in tensors(output):
                self._next(kind, "output", kind, kind, tensor, step)
        if self.depth > 0:
            self.inner.extend(mine)
            return
        inner, self.inner = self.inner, []
        if label is None:
            mine = inner
        self.fresh = self.fresh or label is not None or bool(inner)
        for full, role, kind, tensor in mine:
            self._one(full, role, kind, kind, tensor, step)

    def backward(self, node, step):
        """backward begins at ``node``, and what losses are given is due: look for a function's in the graph."""
        if self.fresh:
            self.fresh = False
            return
        found = labels.of_graph(node)
        if found is None:
            return
        kind = found[0]
        for role, tensor in (("prediction", found[1]), ("label", found[2])):
            full = self._number(kind, "input")
            if full is not None and role in self.roles and tensor is not None:
                self._one(full, role, kind, kind, tensor, step)

    def take(self, name, path, kind, sides, args, kwargs, output, step):
        """A hooked module was called: copy what is asked for."""
        if "input" in sides:
            for tensor in tensors((args, kwargs)):
                self._next(name, "input", path, kind, tensor, step)
            for strings in _strings.found((args, kwargs)):
                full = self._number(name, "input_strings")
                if full is not None:
                    self._strings(full, path, kind, strings, step)
        if "output" in sides:
            for tensor in tensors(output):
                self._next(name, "output", path, kind, tensor, step)

    def _number(self, name, side):
        """The full name of the next tensor of a side, None beyond the limit."""
        count = self.counts.get((name, side), 0)
        if count >= _LIMIT:
            self._missing("%s_%s_%d" % (name, side, count), "more than %d tensors of one module in one step" % _LIMIT)
            return None
        self.counts[name, side] = count + 1
        return "%s_%s_%d" % (name, side, count)

    def _next(self, name, side, path, kind, tensor, step):
        full = self._number(name, side)
        if full is not None:
            self._one(full, side, path, kind, tensor, step)

    def _one(self, full, side, path, kind, tensor, step):
        """Copy one tensor; ``side`` is its kind: input, output, label or prediction."""
        whole = tensor
        tensor = tensor.detach()
        part = sharded_tensors.describe(tensor)
        reason = "the processes have values that are still to be summed" if part is not None and sharded_tensors.partial(tensor) else None
        tensor = sharded_tensors.local(tensor) if reason is None else tensor
        reason = reason or compat.why_not(tensor)
        if reason is None and tensor.layout is not torch.strided:
            tensor = compat.dense(tensor)
            if tensor is None:
                reason = "sparse tensor"
        if reason is not None:
            self._missing(full, reason)
            return
        session = self.tracker.session
        known = self.known.get(full)
        shape = tuple(tensor.shape)
        if known is None:
            info = {"name": full, "kind": side, "dtype": compat.DTYPE_NAMES[tensor.dtype], "shape": list(shape), "module": path, "module_type": kind}
            if part is not None:
                info["part"] = part
            id = session.announce_tensors([info])[0]
            if id is None:
                return
            known = self.known[full] = (id, shape)
        elif not self._due(known[0], step):
            return
        shape_id = 0 if known[1] == shape else session.shape_id(shape)
        at = (step.number(), step.mode, step.mode_step)
        send = self.tracker.publisher.frames.send
        if part is not None or whole.layout is not torch.strided:
            send(known[0], tensor, shape_id, at)
        elif not self.sent.again(session, known[0], whole, shape_id, at):
            place = send(known[0], tensor, shape_id, at)
            if type(place) is list:
                self.sent.note(whole, place)

    def _strings(self, full, path, kind, strings, step):
        """Copy a list of strings that a module was given; the agent keeps it where the values of inputs are kept."""
        known = self.known.get(full)
        if known is not None and not self._due(known[0], step):
            return
        data = _strings.encode(*strings)
        if data is None:
            self._missing(full, "more than %d strings or %d bytes in one value" % (_strings.MOST, _strings.MOST_BYTES))
            return
        session = self.tracker.session
        if known is None:
            info = dict(_strings.info(full, "input", data), module=path, module_type=kind)
            id = session.announce_tensors([info])[0]
            if id is None:
                return
            known = self.known[full] = (id, (len(data),))
        shape_id = 0 if known[1] == (len(data),) else session.shape_id((len(data),))
        _strings.send(session, known[0], data, shape_id, (step.number(), step.mode, step.mode_step))

    def _due(self, id, step):
        pairs = self.tracker.session.plan.tensors.get(id)
        return pairs is None or any(i in step.due for i in pairs if i >= 0)


def tensors(value, depth=0):
    """All tensors in tuples, lists, mappings and dataclasses, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth > 8 or value is None or isinstance(value, (str, bytes, int, float)):
        return
    elif isinstance(value, dict) or (hasattr(value, "keys") and hasattr(value, "__getitem__")):
        for key in list(value.keys()):
            for t in tensors(value[key], depth + 1):
                yield t
    elif type(value).__name__ == "PackedSequence":  # a tuple, of which the first is the values
        yield value.data
    elif isinstance(value, (tuple, list)):
        for item in value:
            for t in tensors(item, depth + 1):
                yield t
    elif hasattr(type(value), "__dataclass_fields__"):
        for field in type(value).__dataclass_fields__:
            for t in tensors(getattr(value, field, None), depth + 1):
                yield t
