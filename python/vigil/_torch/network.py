"""The modules of a network in the order in which one forward calls them, with what goes in and comes out."""

import itertools
import weakref

import torch

from vigil import _guard
from vigil._torch import after_padding, compat, inverted_padding_mask, module_hooks, module_kinds, names, summary, view_instead_of_transpose
from vigil._torch.activations import tensors
from vigil._torch.recurrent_state import Recurrence

MOST = 400  # modules with values
MOST_MODULES = 800  # that are listed
_WEIGHTED = frozenset(("linear", "convolution", "embedding", "recurrent", "attention"))
SEVERAL = 4  # calls of a module in one forward


class Network(object):
    """Hooks on all modules of one root during one forward."""

    def __init__(self, look, root):
        self.look = look
        self.root = root
        self.handles = []
        self.recurrence = Recurrence(look)
        self.sequences = inverted_padding_mask.Sequences()  # that the forward was given
        self.given = view_instead_of_transpose.Given()
        self.after = {}  # id of a recurrent module -> after_padding.AfterPadding of its first call
        self.calls = {}  # id of a module -> (weak reference to it, its calls with gradients)
        self.uses = {}  # id of a leaf of the graph -> operations that take it
        self.met = {}  # id of a module -> its facts
        self.order = []
        self.last = None  # (weak reference to a tensor, version, Values): what one module gives is often what the next one gets

    def attach(self):
        """Hook everything below the root; False when nothing inside can be seen."""
        inner = self.root.inner()
        if inner is None or self.root.compiled:
            return False
        modules = list(names.walk(inner))
        if any(opaque(m) for m in inner.modules()):
            return False
        for path, module in modules[:MOST_MODULES]:
            self._hook(self.root.path(path), module, len(self.handles) < 2 * MOST and module_kinds.whole(module))
            self.recurrence.hook(module)
        self.more = max(len(modules) - MOST_MODULES, 0)
        return True

    def entered(self, module, args):
        """The root itself is running already."""
        self._begins(self.root.path(""), module, args, module_kinds.whole(module))

    def detach(self):
        handles, self.handles = self.handles, []
        for handle in handles:
            handle.remove()
        self.given.forget()
        self.last = None

    def ends(self):
        """The step is over."""
        self.detach()
        self.recurrence.detach()
        self.sequences.forget()
        for one in self.after.values():
            one.forget()

    def backward(self, graphs):
        """The graphs of the step were looked at."""
        self.uses = graphs.uses
        self.recurrence.backward(graphs.marked)
        graphs.compare(self.sequences.kept)
        graphs.renamed = self.given.found or graphs.renamed
        self.sequences.forget()

    def _hook(self, path, module, values):
        look = self.look

        @_guard.guard
        def begins(module, args):
            if look.here():
                with look.timed():
                    self._begins(path, module, args, values)

        self.handles.append(module_hooks.before(module, begins))
        if values:

            @_guard.guard
            def ends(module, args, output):
                if look.here():
                    with look.timed():
                        self._ends(module, output)

            self.handles.append(module_hooks.after(module, ends))

    def _begins(self, path, module, args, values):
        facts = self.met.get(id(module))
        if torch.is_grad_enabled():
            self.calls[id(module)] = (weakref.ref(module), self.calls.get(id(module), (None, 0))[1] + 1)
        if facts is not None:
            facts["calls"] += 1
            return
        facts = {
            "path": path,
            "type": names.class_name(module),
            "kind": module_kinds.kind(module),
            "calls": 1,
            "order": len(self.order),
            "training": bool(module.training),
            "settings": module_kinds.settings(module),
            "id": id(module),
        }
        self.met[id(module)] = facts
        if facts["kind"] == "embedding" or not self.order:
            self.sequences.take(args)
        self.order.append(facts)
        if facts["kind"] in _WEIGHTED:
            _guard.guard(self.given.layer)(path, facts["kind"], args)
        if values:
            facts["input"] = self._tensor(args)

    def _ends(self, module, output):
        facts = self.met.get(id(module))
        if facts is not None and facts["calls"] == 1 and "output" not in facts:
            facts["output"] = self._tensor(output)
            if facts["kind"] == "recurrent":
                after = after_padding.look(module, output, self.sequences.kept)
                if after is not None:
                    self.after[id(module)] = after

    def _tensor(self, given):
        for tensor in tensors(given):
            facts = summary.described(tensor)
            if self.last is not None and self.last[0]() is tensor and self.last[1] == _version(tensor):
                facts["values"] = self.last[2]
            else:
                facts["values"] = summary.values(tensor, self.look.numbers, most=summary.MANY)
                self.last = (weakref.ref(tensor), _version(tensor), facts["values"])
            return facts
        return None

    def gather(self, numbers):
        """NetworkFacts without their place."""
        modules = []
        for facts in self.order:
            facts = dict(facts)
            at = facts.pop("id")
            after = self.after[at].gather() if at in self.after else None
            if after is not None:
                facts["after_padding"] = after
            self._passes(facts, at)
            for side in ("input", "output"):
                tensor = facts.pop(side, None)
                if tensor is not None:
                    facts[side] = summary.read(tensor, numbers)
            modules.append(facts)
        out = {"modules": modules}
        if self.more:
            out["more"] = self.more
        uncalled = self._uncalled()
        if uncalled:
            out["uncalled"] = uncalled
        return out

    def _uncalled(self):
        """The modules that the forward did not call, as far as they were looked at."""
        inner = self.root.inner()
        if inner is None:
            return []
        looked = itertools.islice(names.walk(inner), MOST_MODULES)
        return [{"path": self.root.path(path), "type": names.class_name(module)} for path, module in looked if id(module) not in self.met]

    def _passes(self, facts, at):
        """Of a module that ran several times: how many of its calls the loss depends on, and whether it was given its own state."""
        module, calls = self.calls.get(at, (None, 0))
        module = module() if module is not None else None
        if module is None or not self.uses:
            return
        states = self.recurrence.states(at)
        if calls < SEVERAL and not states:
            return
        uses = [self.uses[id(p)] for p in module._parameters.values() if p is not None and id(p) in self.uses]
        if not uses:
            return
        facts["recorded"], facts["in_graph"] = calls, max(uses)
        facts.update(states)


def opaque(module):
    """Whether hooks inside a module would be of no use, or change what it does: it is compiled."""
    return (
        names.compiles(module)
        or isinstance(module, torch.jit.ScriptModule)
        or compat.is_compiling()
    )


def _version(tensor):
    return None if tensor.is_inference() else tensor._version
