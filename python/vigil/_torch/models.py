"""The Tracker's part that knows models: finding roots, announcing them, and updates written by hand."""

import time
import weakref

import torch

from vigil import _guard, _log, _look, _marks
from vigil._torch import compat, device, discover, fast_path, losses, malloc_settings, names, sharded_tensors
from vigil._torch.call_places import LAYERS
from vigil._torch.deferred_values import Mean, total
from vigil._torch.root_model import Root
from vigil._torch.steps import TRAIN


class Models(object):
    """Mixed into Tracker."""

    by_hand = False  # no optimiser updates the weights
    unsearched = 0  # optimisers whose models were not looked for, and that were not told yet
    told_unsearched = False
    counted = False  # the script's own updates are counted by the versions of the weights
    rebuilt = False  # something was put into a model after it was announced

    # Before the roots are known.

    def outermost(self, module):
        """The global hook saw a module that is inside no other."""
        self.settle()
        if self.closed:
            return
        if any(module is one for root in self.roots for one in root.hooked()):
            self.discovery.step_aside(module)
            return
        self.registry.module(module)
        if losses.is_loss(module):
            if module not in self.losses.known:
                self.losses.watch(module)
                self.marks.begins(_marks.FORWARD)  # the hook that is there now sees it end
            return
        self.discovery.entered(module)
        if any(p.requires_grad for p in module.parameters()):
            self.plain.forget()
            self.nest = self.nest if self.in_closure else 0
            step = self.open
            if step is None:
                self._called(None, module, module.training)
            elif step.mode != 0 or step.backwards:
                if self._changed_by_hand(None):
                    self._adopt_by_hand()
                if self.open is None or self.open.mode != 0:
                    self._called(None, module, module.training)

    def in_window(self, module, output):
        """A module ran between two calls of a root in evaluation."""
        if losses.is_loss(module) and module not in self.losses.known:
            self.losses.watch(module)
            self.loss_output(module, output)

    def module_compiled(self, module):
        self.settle()
        if compat.LOSES_HOOKS:
            self.patch_optimisers()
        self.discovery.module_compiled(module)

    def _find_roots(self, state, modules):
        """Hook the models that ``state``, a new optimiser, updates. modules: all that are known, None for looking whether there is time to go through them. False: there was no time to look for all of them."""
        parameters = state.parameters
        found = self.discovery.roots_of(parameters)
        called = list(found)
        for root in self.roots:
            inner = root.inner()
            if inner is not None:
                parameters = parameters - {id(p) for p in inner.parameters()}
        if any(names.compiles(m) for m in found):
            modules = self.searches.modules() if modules is None else modules
            found = discover.whole(found, modules or [])
        complete, covered = True, set()
        for module in found:
            covered.update(id(p) for p in module.parameters())
        if parameters - covered:
            if modules is None:
                modules = self.searches.modules()
            complete = modules is not None
            if complete:
                found = found + [m for m in discover.owners(modules, parameters - covered) if m not in found]
        for module in found:
            self._add_root(module).known_called = module in called
        if modules is not None:
            for module in modules:
                if losses.is_loss(module):
                    self.losses.watch(module)
        if not self._others():
            self.discovery.stop()
        return complete

    def _add_root(self, module):
        """Take a module as a root, once; hooks on it and on what it only wraps."""
        inner = names.unwrap(module)
        for root in self.roots:
            if root.inner() is inner:
                if root.outer() is not module:
                    root.hook(module, self)
                return root
        self.roots = [r for r in self.roots if r.inner() is not None]
        root = Root(module, self._root_name(inner), not self.roots)
        weakref.finalize(inner, self._root_gone, weakref.ref(root)).atexit = False
        root.trains_in_eval = self.trains_in_eval
        self.roots.append(root)
        for one in names.chain(module):
            root.hook(one, self)
            if names.compiles(one):
                break  # what is inside runs compiled
        for child in inner.modules():
            if child is not inner and losses.is_loss(child):
                self.losses.watch(child)
        self._mark_nested()
        return root

    def _root_name(self, inner):
        """The class name; with a number when another model has it, or had it with other shapes."""
        base = names.class_name(inner)
        used = {r.name for r in self.roots if r.inner() is not None}
        shapes = [(p.path, p.value.dtype, tuple(p.value.shape)) for p in names.parameters(inner) if compat.why_not(p.value) is None]
        for i in range(1000):
            name = base if i == 0 else "%s_%d" % (base, i)
            if name in used:
                continue
            known = self.publisher.known
            if all(known.get("%s_%s" % (name, path), (0, dtype, shape))[1:] == (dtype, shape) for path, dtype, shape in shapes):
                return name
        return base

    def _root_gone(self, ref):
        root = ref()
        if root is not None:
            if root in self.roots:
                self.roots.remove(root)
            if self.session is not None:
                self.publisher.frames.forget(root)

    def _mark_nested(self):
        """Roots inside roots need to know how deep a call is; a root that is alone does not."""
        inside = set()
        for root in self.roots:
            outer = root.outer()
            if outer is not None:
                inside.update(id(m) for m in outer.modules() if m is not outer)
        for root in self.roots:
            root.nested = False
        if any(id(m) in inside for root in self.roots for m in root.hooked()):
            for root in self.roots:
                root.nest(self)

    # Announcing.

    def _device(self):
        """The device that the training runs on (vigil._torch.device), None for the CPU or where no parameter is known."""
        for root in self.roots:
            inner = root.inner()
            for parameter in inner.parameters() if isinstance(inner, torch.nn.Module) else ():
                return device.of(parameter)
        for parameter in self._hand_parameters()[:1]:
            return device.of(parameter)
        return None

    def _connect(self):
        """Connect to the agent; from here on the process counts as one that trains."""
        if self.session is not None:
            return True
        if self.refused:
            return False
        if not self.publisher.connect(self.start_agent, self.dir, self.name, self._hand_parameters()[:8]):
            self.refused = True
            self.marks.close()
            self.discovery.stop()
            return False
        self.session = self.publisher.session
        self.session.graph = self.builds_graph
        self.marks.goes_to(self.session)
        self.marks.runs_on(self._device())
        self.session.once_ns += self.early
        if self.looks and not _look.wanted():
            self.looks = False  # the agent that was started here says so
            self.facts.close()
        _guard.guard(malloc_settings.keep)()
        self.session.before_bye = self.finish
        if self.session.place is not None:
            self.goes_on(self.session.place)
        for fields in self.waiting_collections:
            self.session.collection(**fields)
        _log.register(self)
        return True

    def builds_graph(self):
        """Whether a model was called with gradients and backward is still to come. Another thread may ask: nothing is locked, and the answer may be late."""
        if self.lane.armed:
            return self.lane.state == fast_path.FORWARD
        step = self.open
        return step is not None and step.mode == TRAIN and not step.backwards and not step.done

    def _announce_all(self):
        """Everything known so far; then the plan."""
        taken = set()
        for root in self.roots:
            self.publisher.announce(root, self._owner_of, taken)
        for state in self.optims:
            self._announce_loose(state, taken)
        if self.plain.root is not None:
            self.publisher.announce(self.plain.root, self._owner_of, taken)
        criteria = {type(m).__name__: m for m in self.losses.known}
        if criteria:
            self.session.announce_modules("", [(name, name, i) for i, name in enumerate(sorted(criteria))])
        self.publisher.loss_id("loss")
        self.publisher.wait_for_plan()

    def _later(self, state):
        """Find and announce what a later optimiser brought; how many roots there were before."""
        before = len(self.roots)
        with self.searches.timed():
            self._announce_new(before, state, self._find_roots(state, None))
        return before

    def _announce_new(self, before, state, complete):
        """What a later optimiser brought. complete: all its models were looked for."""
        taken = set()
        for root in self.roots[:before]:
            inner = root.inner()
            if inner is not None:
                taken.update(id(p) for p in inner.parameters())
        # A model that was known, but not who updates it, belongs to this optimiser now.
        for entry in self.publisher.frames.entries:
            p = entry.parameter()
            if entry.root is state.loose:
                taken.add(id(p))
            if p is not None and state.has(p) and entry.owner is not state:
                entry.owner = state
        for root in self.roots[before:]:
            self.publisher.announce(root, self._owner_of, taken)
        if complete:
            self._announce_loose(state, taken)
        else:
            self.unsearched += 1
            if not self.told_unsearched:
                self.told_unsearched = True
                self.tell_unsearched()
        if not compat.TELLS_OF_PARTS and self._unannounced(state):
            self.rebuilt = True
        self.publisher.frames.apply()

    def _unannounced(self, state):
        """Whether an optimiser holds parameters of known models that were not announced: parts were put in, and PyTorch did not say so."""
        announced = {id(e.parameter()) for e in self.publisher.frames.entries}
        models = [root.inner() for root in self.roots]
        return any(state.has(p) and id(p) not in announced for model in models if model is not None for p in model.parameters())

    def tell_unsearched(self):
        """Say of how many optimisers the models were not looked for: at the first one, and of all others when the run ends."""
        if self.unsearched:
            self.session.missing([("models of optimisers", "optimisers come faster than their models can be looked for", self.unsearched)])
            self.unsearched = 0

    def optimiser_made(self, optimiser):
        self.registry.optimiser(optimiser)
        self.facts.call("optimizer", type(optimiser).__name__)
        if self.session is not None and not compat.TELLS_OF_PARTS:
            self.discovery.note()

    def put(self, module, part):
        """A parameter or a module was put into ``module``."""
        self.registry.module(module)
        if isinstance(part, torch.nn.Module):
            self.registry.module(part)
            if type(part) in LAYERS:
                self.facts.call("layer", type(part).__name__)
        if not self.rebuilt and self.session is not None and any(id(module) in root.parts for root in self.roots):
            self.rebuilt = True

    def _renew(self):
        """Parts of the models came, went or changed since they were announced."""
        self.rebuilt = False
        for state in self.optims:
            state.refresh()
        self.publisher.renew(self.roots, self._owner_of)
        for root in self.roots:
            inner = root.inner()
            for child in inner.modules() if inner is not None else ():
                if child is not inner and losses.is_loss(child):
                    self.losses.watch(child)

    def _announce_loose(self, state, taken):
        """Parameters of an optimiser that are in no module."""
        optimiser = state.ref()
        if optimiser is None:
            return
        holder = {}
        for i, p in enumerate(p for group in optimiser.param_groups for p in group["params"]):
            if id(p) not in taken:
                holder["param_%d" % i] = p
        if holder:
            root = state.loose = LooseRoot(state.type, holder)
            weakref.finalize(optimiser, self._root_gone, weakref.ref(root)).atexit = False
            self.publisher.announce(root, self._owner_of, taken)

    def _owner_of(self, parameter):
        """The optimiser that updates a parameter; None when none does."""
        for state in self.optims:
            if state.has(parameter):
                return state
        return None

    def _gradients_cleared(self):
        """Whether the script threw the gradients of micro-batches away, as at the end of an epoch that left a remainder."""
        seen = 0
        for entry in self.publisher.frames.entries:
            if entry.grad and seen < 4:
                seen += 1
                grad = entry.tensor()
                if grad is not None and (grad.device.type != "cpu" or grad.layout is not torch.strided or bool(grad.detach().any())):
                    return False
        return seen > 0

    # Updates written by hand.

    def _note_gradients(self):
        """The end of a backward: remember what an update by hand would change, and copy what is due."""
        params = self._hand_parameters()
        sample = first_values if not self.counted else lambda p: None
        self.snapshot = [(weakref.ref(p), p._version, p.grad is not None and id(p.grad), sample(p)) for p in params if self.grads.of(p) is not None]
        if self.by_hand and self.session is not None and self.open is not None and self.open.is_due:
            frames = self.publisher.frames
            held = [self.plain.root] if self.plain.root is not None else []
            chunks = [c for root in self.roots + held for c in frames.due(root, self.open.due)]
            if chunks:
                frames.given = self.grads.given
                try:
                    frames.copy(chunks, self.publisher.at(self.open))
                finally:
                    frames.given = {}

    def _hand_parameters(self):
        modules = [r.inner() for r in self.roots] or [ref() for ref in self.discovery.candidates.values()]
        out = []
        for module in modules:
            if module is not None:
                for p in module.parameters():
                    if p.requires_grad and len(out) < 64:
                        out.append(p)
        return out or self.plain.living()[:64]

    def _changed_by_hand(self, root):
        """Whether the weights changed, or their gradients were cleared, since the last backward, and no optimiser did it."""
        if self.snapshot is None or (self.session is not None and not self.by_hand):
            return False
        for ref, version, grad, sample in self.snapshot:
            p = ref()
            if p is None:
                continue
            if p._version != version:
                self.counted = True
                return True
            if sample is not None and first_values(p) != sample:
                return True
            if self.by_hand and grad and (p.grad is None or id(p.grad) != grad):
                return True
        return False

    def _adopt_by_hand(self):
        """Weights changed after backward and no optimiser stepped: the script updates them itself."""
        self.by_hand = True
        modules = [ref() for ref in self.discovery.candidates.values()]
        changed = {id(ref()) for ref, _, _, _ in self.snapshot}
        for module in modules:
            if module is not None and any(id(p) in changed for p in module.parameters()):
                self._add_root(module)
        self._hand_is_known()

    def adopt_plain(self):
        """The script changes plain tensors itself after backward."""
        self.by_hand = True
        self._hand_is_known()

    def _hand_is_known(self):
        self.discovery.stop()
        if self._connect():
            self._announce_all()
            self.facts.found()
            self._look_at_roots(self.roots)
        self._close_by_hand()

    def _close_by_hand(self):
        """The step ended with an update that nothing announced."""
        step = self.open
        self.publisher.frames.publish((step.number(), step.mode, step.mode_step))
        means = self.pending.take()
        if means:
            mean = Mean()
            mean.add(total(means))
            step.losses = {_ByHand: mean}
        if self.facts.look.open and self.session is not None:
            self.facts.look.by_hand(self._hand_parameters())
        step.done.append(_ByHand)
        self.snapshot = None
        self._close(step, time.perf_counter())


class _ByHand(object):
    """Stands for the optimiser that a script without one is itself."""

    series = "loss"
    index = 0


class LooseRoot(object):
    """Parameters that an optimiser holds and no module does, shaped like a Root."""

    parts = frozenset()
    divided = flattened = False

    def __init__(self, name, parameters):
        self.name = self.type = name
        self._parameters = parameters
        self._modules = {}
        self.tree = None

    def inner(self):
        return self

    def path(self, path):
        return path

    def children(self):
        return []

    def modules(self):
        return []


def first_values(p):
    """A few values of a parameter on the CPU, to see changes that its version does not count (through .data)."""
    p = sharded_tensors.local(p)
    if p.device.type != "cpu" or p.numel() == 0 or p.layout is not torch.strided:
        return None
    return p.detach().reshape(-1)[:4].tolist() if p.is_contiguous() else None
