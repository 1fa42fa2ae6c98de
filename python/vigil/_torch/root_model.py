"""A root: a model that is trained, what it is called, and where its parts are."""

import weakref

import torch

from vigil import _guard, _marks
from vigil._torch import compat, module_hooks, names, sharded_tensors
from vigil._torch.frame_entries import Entry


class Root(object):
    """One trained model. Held weakly: Vigil keeps no model alive."""

    def __init__(self, module, name, first):
        self.wrapper = weakref.ref(module)
        self.inside = weakref.ref(names.unwrap(module))
        self.name = name
        self.type = names.class_name(names.unwrap(module))
        self.first = first  # of several roots the first one's modules have plain paths
        self.compiled = names.is_compiled(module)
        self.known_called = False  # the script was seen to call it
        self.trains_in_eval = False  # the script trains it in eval() mode
        self.by_path = None
        self.hidden = frozenset()  # ids of its modules that run compiled, as of by_path
        self.parts = frozenset()  # ids of its modules, as they were announced
        self.divided = False  # between processes: its parameters are not whole while an update is not under way
        self.flattened = None  # by FullyShardedDataParallel; None: nobody has looked
        self.tree = None  # what was last announced of them
        self.handles = []
        self.ends = []  # handles of the hooks that see forward end
        self.seen = []  # weak references to the hooked modules
        self.nested = False
        self.closing = False  # hooks that see the end of calls are there
        self.outputs_loss = False

    def hook(self, module, tracker):
        """See every call of ``module``, this root or something that wraps it."""
        root = self
        called = tracker.root_called
        lane = tracker.lane
        begins, ends = tracker.marks.begins, tracker.marks.ends
        # What a module compiled in place hangs on itself is compiled with it.
        marked = getattr(module, "_compiled_call_impl", None) is None

        @_guard.guard
        def about_to_run(module, args):
            if not compat.is_compiling():
                if not (lane.armed and lane.forward(module)):
                    called(root, module)
                if marked:
                    begins(_marks.FORWARD)

        @_guard.guard
        def has_run(module, args, output):
            if not compat.is_compiling():
                ends(_marks.FORWARD)

        if marked:
            self.ends.append(compat.closing_forward_hook(module, has_run))
        self.handles.append(module_hooks.before(module, about_to_run))
        self.seen.append(weakref.ref(module))

    def hooked(self):
        """The modules whose calls are seen."""
        return [m for m in (ref() for ref in self.seen) if m is not None]

    def nest(self, tracker):
        """Count how deep calls are: this root runs inside another, or another inside it."""
        if not self.nested:
            self.nested = True
            if not self.closing:
                self.closing = True
                for module in self.hooked():

                    @_guard.guard
                    def ran(module, args, output):
                        if not compat.is_compiling():
                            tracker.root_returned(self)

                    self.handles.append(compat.closing_forward_hook(module, ran))

    def unhook(self):
        """See nothing of it any more."""
        handles, self.handles, self.ends = self.handles + self.ends, [], []
        for handle in handles:
            handle.remove()
        self.seen = []
        self.nested = self.closing = False

    def outer(self):
        """The module that the script calls."""
        return self.wrapper()

    def inner(self):
        """The module inside all wrappers."""
        return self.inside()

    def path(self, path):
        """A module's path as announced: below the root's name when it is not the first root."""
        if self.first:
            return path
        return self.name + "." + path if path else self.name

    def at(self, announced):
        """The module at an announced path, or None."""
        inner = self.inner()
        if inner is None:
            return None
        if self.by_path is None or announced not in self.by_path:
            self.by_path = {self.path(p): weakref.ref(m) for p, m in names.walk(inner)}
            self.hidden = names.hidden(inner)
        ref = self.by_path.get(announced)
        return ref() if ref is not None else None

    def modules(self):
        """What announce_modules takes: (path, class, order)."""
        return [(self.path(p), names.class_name(m) if not p else names.family(m), i) for i, (p, m) in enumerate(names.walk(self.inner()))]


FLATTENED = "FullyShardedDataParallel flattens parameters: the part in this process is captured, without its place in the whole"


def announce(session, root, owner_of, known, taken):
    """Announce a root's parameters and gradients: (entries, missing).

    owner_of(parameter) gives the optimiser that updates it, or None when none
    does (then the root's own). known: name -> (id, dtype, shape) of what was
    announced before; taken: ids of parameters that stand under another root.
    """
    infos, made, missing = [], [], []
    params = names.parameters(root.inner())
    if root.flattened is None:
        wrapper = root.wrapper()
        root.flattened = isinstance(wrapper, torch.nn.Module) and sharded_tensors.flattened(wrapper)
        if root.flattened:
            root.divided = True
            missing.append((root.name, FLATTENED, 1))
    first_owner = next((owner_of(p.value) for p in params if owner_of(p.value) is not None), root)
    for p in params:
        value = p.value
        if id(value) in taken:
            continue
        part = sharded_tensors.describe(value)
        whole, value = value, sharded_tensors.local(value)
        root.divided = root.divided or part is not None
        reason = compat.why_not(value)
        if part is not None and sharded_tensors.partial(whole):
            reason = "the processes have values that are still to be summed"
        if reason is None and value.layout is not torch.strided:
            reason = "sparse parameter"
        name = "%s_%s" % (root.name, p.path) if root.name else p.path
        if reason is not None:
            missing.append((name, reason, 1))
            continue
        shared = "%s_%s" % (root.name, p.shared) if p.shared else None
        owner = owner_of(whole) or first_owner
        kind = "bias" if names.is_bias(p.path) else "weight"
        for grad in (False, True) if whole.requires_grad else (False,):
            info = {
                "name": "gradient/" + name if grad else name,
                "kind": "gradient" if grad else kind,
                "dtype": compat.DTYPE_NAMES[value.dtype],
                "shape": [int(n) for n in value.shape],
                "module": root.path(p.module_path),
                "module_type": p.module_type,
                "order": p.order,
            }
            if shared:
                info["alias_of"] = "gradient/" + shared if grad else shared
            if not whole.requires_grad:
                info["frozen"] = True
            if part is not None:
                info["part"] = part
            infos.append(info)
            made.append((info["name"], p, grad, value, None if shared else owner))
    for p in params:
        taken.add(id(p.value))
    new = [i for i, m in zip(infos, made) if known.get(m[0], (0, None, None))[1:] != (m[3].dtype, tuple(m[3].shape))]
    ids = dict(zip((i["name"] for i in new), session.announce_tensors(new))) if new else {}
    entries = []
    for name, p, grad, value, owner in made:
        id_ = ids.get(name)
        if id_ is None and name in known:
            id_ = known[name][0]
        if id_ is None:
            continue
        known[name] = (id_, value.dtype, tuple(value.shape))
        if owner is not None:
            entries.append(Entry(name, id_, p.module, p.key, grad, value.dtype, value.shape, compat.nbytes(value), root, owner, getattr(p.value, "placements", None)))
    return entries, missing
