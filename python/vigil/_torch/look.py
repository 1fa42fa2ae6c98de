"""The look at a training's first steps: who looks at what, when, and what it comes to.

Everything here is set-up: it happens once, and its time is no part of the steps
it happens in.
"""

import contextlib
import itertools
import threading
import time

import torch

from vigil import _guard
from vigil._torch import autograd, compat, discover, module_hooks, names, network, summary, weights_in_graph
from vigil._torch.activations import tensors
from vigil._torch.call_places import Calls
from vigil._torch.embedding_rows import EmbeddingRows
from vigil._torch.frozen_parts import RunningStatistics
from vigil._torch.function_places import FunctionPlaces
from vigil._torch.gradients import Gradients
from vigil._torch.inputs import Inputs
from vigil._torch.labels import Labels
from vigil._torch.next_token_labels import NextPlace
from vigil._torch.parameters import Parameters
from vigil._torch.parameters_outside_model import OutsideModel
from vigil._torch.settings import loss_settings, plain
from vigil._torch.steps import TRAIN
from vigil._torch.wasted_backward import Wasted, changed_by
from vigil._torch.weights_made_in_forward import MadeInForward
from vigil._torch.zero_second_derivatives import ZeroSecondDerivatives

_now = time.perf_counter_ns
_thread = threading.get_ident

MOST_OUTPUTS = 8
FIRST = 1 << 63  # larger than the number of any node
SEE = 9  # TRAIN steps; the first of them was under way before anything was known
SEE_SELDOM = 40  # while one of several optimisers has made fewer updates than
SEE_EACH = 6


class Look(object):
    """What is seen while ``open``; ``gather`` gives the sections once.

    old: optimisers of the trainings before, of a later one. What they trained, and none of
    this training holds, is none of its business.
    """

    def __init__(self, tracker, old=None):
        self.tracker = tracker
        self.later = old is not None
        self.old = list(old or ())
        self.trained = tracker.trainings.known() if self.later else frozenset()  # ids of parameters
        self.open = True
        self.numbers = summary.Numbers()
        self.next_place = NextPlace()
        self.labels = Labels(self.numbers, self.next_place)
        self.constants = 0  # gradients without a graph that were taken since the last backward
        self.of_scalars = 0  # others, of one number, since a model was called last
        self.since = FIRST  # lowest number of the nodes that they were taken of
        self.shapes = []  # of these gradients
        self.derived = False  # others have a graph
        self.straight = ZeroSecondDerivatives(self.numbers)
        self.inputs = Inputs(self.numbers)
        self.parameters = Parameters(self.numbers)
        self.running = RunningStatistics(self.numbers)
        self.gradients = Gradients(tracker, self.numbers)
        self.rows = EmbeddingRows(self.numbers)
        self.network = None
        self.no_modules = False  # an optimiser trains plain tensors, and there is no model
        self.graphs = None
        self.graph_step = None
        self.anew = MadeInForward()
        self.loose = OutsideModel()
        self.counts = {}  # id of an optimiser's state -> its updates
        self.input_step = None
        self.first = None  # the first model that was found
        self.blind = None  # the first step in which that one ran without gradients; False once it ran with them
        self.handles = []
        self.called = set()  # ids of roots that were called
        self.seen = []  # roots
        self.outputs = []  # what models returned, the last first, until backward
        self.losses = {}  # class of a loss module -> its settings
        self.calls = Calls()
        self.functions = FunctionPlaces(self.calls)

    # Time.

    @contextlib.contextmanager
    def timed(self):
        """What is done inside is no part of the step."""
        began = _now()
        try:
            yield
        finally:
            self.took(_now() - began)

    def took(self, nanoseconds):
        t = self.tracker
        t.entered += nanoseconds
        t.takes_once(nanoseconds)
        if t.open is not None:
            t.open.began += nanoseconds * 1e-9
        elif t.last_close is not None:
            t.last_close += nanoseconds * 1e-9

    def here(self):
        """Whether a call that a hook sees is one of the training's own."""
        t = self.tracker
        if compat.is_compiling() or torch.jit.is_tracing():  # asked first: a compiler follows the rest
            return False
        return t.thread in (None, _thread()) and not t.closed and not t.again()

    # Events.

    def roots(self, roots):
        """Models were found."""
        with self.timed():
            for root in roots:
                self.parameters.root(root)
                _guard.guard(self.running.root)(root)
                if root.known_called:
                    self.called.add(id(root))
            roots = [root for root in roots if root not in self.seen]
            self.seen.extend(roots)
            if roots and self.first is None:
                self.first = roots[0]
            for root in roots[:MOST_OUTPUTS]:
                for module in root.hooked():
                    self._hook(root, module)
            for root in roots[:MOST_OUTPUTS]:
                outer = root.outer()
                if outer is not None and not root.compiled:
                    self.handles.append(module_hooks.after(outer, self._gave))

    def plain(self, root):
        """An optimiser trains tensors that belong to no module, and there is no model. root: what holds them."""
        with self.timed():
            self.no_modules = True
            self.parameters.root(root)

    def _hook(self, root, module):
        @_guard.guard
        def begins(module, args, kwargs=None):
            if self.open and self.here():
                with self.timed():
                    self._forward(root, module, args, kwargs or {})

        if compat.HAS_KWARG_HOOKS:
            self.handles.append(module_hooks.before(module, begins, with_kwargs=True))
        else:
            self.handles.append(module_hooks.before(module, begins))

    @_guard.guard
    def _gave(self, module, args, output):
        """A model returned."""
        if self.open and self.here():
            new = [t for t in itertools.islice(tensors(output), MOST_OUTPUTS) if t.grad_fn is not None]
            self.outputs = (new + self.outputs)[:MOST_OUTPUTS]

    def _forward(self, root, module, args, kwargs):
        """The first model is called: once per TRAIN step its inputs are looked at, once its inside.

        Where it runs without gradients at two steps, it is the one after it.
        """
        self.of_scalars = 0  # what came of them is a model's input
        step = self.tracker.open
        if step is None or step.mode != TRAIN or step.tentative:
            return
        if step is self.input_step:
            # The next part of a batch whose gradients are gathered: its labels go with what the model gets now.
            if root is self.first and self.next_place.compared and torch.is_grad_enabled():
                self.next_place.called(list(itertools.islice(tensors((args, kwargs)), MOST_OUTPUTS)))
            return
        if not torch.is_grad_enabled():
            if root is self.first and self.blind is None:
                self.blind = step
            return
        if root is self.first:
            self.blind = False
        elif not self.blind or self.blind is step:
            return
        self.input_step = step
        self.inputs.take(args, kwargs)
        if self.labels.open:
            self.next_place.called(list(itertools.islice(tensors((args, kwargs)), MOST_OUTPUTS)))
        if self.network is None:
            self.network = network.Network(self, root)
            if self.network.attach():
                self.functions.begins()
                _guard.guard(self.network.given.begins)(list(itertools.islice(tensors((args, kwargs)), MOST_OUTPUTS)))
                if module is root.inner():
                    self.network.entered(module, args)
                self.handles.append(module_hooks.after(module, self._returned))

    @_guard.guard
    def _returned(self, module, args, output):
        if self.network is not None and self.here():
            self.network.detach()

    def backward(self, tensors):
        """backward begins."""
        with self.timed():
            self.functions.backward(tensors)
            self.gradients.backward()
            step = self.tracker.open
            bare = self.no_modules and not self.tracker.by_hand and self._plain()
            if self.graphs is None and not step.tentative and (self.network is not None or self._plain()):
                self.graphs = autograd.Graphs(self.numbers, bare)
                if not self.tracker.by_hand:
                    self.graphs.wasted = Wasted(changed_by(self._optimisers()))
                self.graph_step = step
            if bare and tensors and step is not self.input_step:
                self.input_step = step
                _guard.guard(self._plain_inputs)(tensors[0])
            if self.graph_step is step and self.graphs is not None and self.network is None:
                for tensor in tensors:
                    self.graphs.take(tensor)
                    self._left_out()
            elif self.graph_step is step and self.graphs is not None:
                for tensor in tensors:
                    self._outside(step, self.graphs.take(tensor, self.parameters.known, self.constants + self.of_scalars, self.network.recurrence.marks(), self.since, () if self.derived else self.shapes, self.network.given))
                self.network.backward(self.graphs)
            elif self.anew.wants(step):
                for tensor in tensors:
                    self.anew.look(step, tensor, self.parameters.known, lambda ids: ids - self._unowned(ids)[0])

    def _plain(self):
        """Whether tensors of the script are trained, and no model is known: functions do what modules do elsewhere."""
        t = self.tracker
        return not (self.later or self.seen or t.roots) and (bool(t.optims) or t.plain.root is not None)

    def _left_out(self):
        """Tensors that are weights like those of the only optimiser, which does not hold them."""
        held, found = self.held(), self.graphs.weights
        if not self.tracker.by_hand and any(at in held for at in found):
            self.loose.take([w for at, w in found.items() if at not in held and not isinstance(w, torch.nn.Parameter)])
        self.graphs.weights = {}

    def _plain_inputs(self, loss):
        given = weights_in_graph.data(loss.grad_fn)
        if given is not None:
            self.inputs.take((given,), {}, kept=False)

    def _outside(self, step, leaves):
        """Parameters that the loss depends on, and neither a model that is known nor an optimiser has."""
        outside = set(leaves).difference(self.parameters.known)
        if self.later:
            outside -= self.trained
            for root in self.tracker.roots:
                if root not in self.seen and root.inner() is not None:
                    outside.difference_update(id(p) for p in root.inner().parameters())
        if outside and not self.tracker.by_hand and not any(root.divided for root in self.tracker.roots):
            nobodys, owners = self._unowned(outside)
            if owners:
                self.parameters.outside(outside, owners)
            self.anew.take(step, leaves, self.graphs.stray, outside - nobodys)
            self.loose.take([leaves[i] for i in nobodys if i in leaves])
        if not self.tracker.by_hand:
            self.loose.take(self.graphs.coefficients)
        self.graphs.coefficients, self.graphs.weights = [], {}

    def _beside(self):
        """Two optimisers hold the same parameters: models with gradients that none holds, whose loss the look at graphs may not have seen."""
        t = self.tracker
        held = [frozenset(id(p) for group in s.ref().param_groups for p in group["params"]) for s in t.optims if s not in self.old and s.ref() is not None]
        if t.by_hand or self.parameters.outsiders or len(set(held)) == len(held) or any(root.divided for root in t.roots):
            return
        every = self.held()
        modules = [m for m in t.registry.modules() if any(p.grad is not None for p in m.parameters()) and not any(id(p) in every for p in m.parameters())]
        ids = {id(p) for m in modules for p in m.parameters() if p.grad is not None} - self.trained
        self.parameters.outside(ids, discover.owners(modules, ids))

    def _unowned(self, ids):
        """(of parameters those that neither an optimiser nor a module that lives has, modules that have the others)."""
        ids = ids - self.held()
        owners = discover.owners(self.tracker.registry.modules(), ids) if ids else []
        return ids.difference(id(p) for m in owners for p in m.parameters()), owners

    def backward_ends(self):
        self.outputs = []
        self._forget_derivatives()
        with self.timed():
            self.gradients.backward_ends()

    def update(self, state):
        """An optimiser is about to step, the gradients are as it will use them."""
        with self.timed():
            self.gradients.update(state)
            self.rows.update(self.parameters.known)

    def updated(self, state):
        with self.timed():
            if state in self.old:
                self.old.remove(state)  # it goes on
            self.gradients.updated(state)
            self.parameters.updates += 1
            self.counts[id(state)] = self.counts.get(id(state), 0) + 1

    def by_hand(self, parameters):
        """The script has updated these parameters itself."""
        with self.timed():
            self.gradients.by_hand(parameters)

    def closed(self):
        """A step has closed."""
        if self.open and self.network is None and self.seen:
            self.functions.begins()  # in `softmax(model(x))` the function is looked up before the model is called
        else:
            self.functions.closed()
        self.outputs, self.next_place.given = [], []
        self._forget_derivatives()
        if self.network is not None:
            self.network.ends()

    def _forget_derivatives(self):
        self.constants, self.of_scalars, self.since = 0, 0, FIRST
        self.shapes, self.derived = [], False
        self.straight.forget()

    def detach(self):
        """Hook nothing any more."""
        self.outputs, self.next_place.given = [], []
        handles, self.handles = self.handles, []
        for handle in handles:
            handle.remove()
        self.straight.forget()
        self.functions.ends()
        if self.network is not None:
            self.network.ends()

    def loss_module(self, module):
        kind = type(module).__name__
        if kind not in self.losses:
            self.losses[kind] = loss_settings(module)

    # The end.

    def seen_each(self, steps):
        """Whether every optimiser was seen often enough after this many TRAIN steps: a generator steps once for several updates of its critic."""
        t = self.tracker
        if steps >= SEE_SELDOM:
            return True
        ours = [s for s in t.optims if s.ref() is not None and s not in self.old]
        return len(ours) + len(t.unstepped) < 2 or not t.unstepped and all(self.counts.get(id(s), 0) >= SEE_EACH for s in ours)

    def gather(self, main):
        """The sections, without their places; nothing is looked at any more. main: name of the loss."""
        t = self.tracker
        self.open = False
        self.labels.open = False
        self.detach()
        part = _guard.guard(lambda gather, *args: gather(*args))  # one that fails takes no other with it
        part(self.parameters.last)
        part(self._last_running)
        part(self._beside)
        numbers = self.numbers.read()
        updates, states = part(self.gradients.gather, numbers) or (None, {})
        part(self._leave_copies, states)
        sections = {
            "labels": part(self.labels.gather, main),
            "predictions": part(self.labels.predictions, main, numbers),
            "inputs": part(self.inputs.gather, numbers, t.loaders),
            "calls": part(self.calls.gather),
            "threads": part(lambda: {"operation": torch.get_num_threads()}),
        }
        # Nobody can say what held them when an update was written by hand, or when each process has a part.
        whole = not any(root.divided for root in t.roots)
        wasted = None
        if whole and not t.by_hand:
            held = self.held()
            loose = part(self.loose.gather, held)
            self.parameters.weights = self.graphs.layer_weights if self.graphs is not None else {}
            self.parameters.rows = part(self.rows.gather, numbers) or {}
            wasted, self.parameters.wasted = part(self._wasted) or (None, frozenset())
            sections["parameters"] = part(self.parameters.gather, numbers, held, states, self._by_parameter(), self.anew.gather(), self.trained, loose)
            averaged = part(self.running.gather, numbers, lambda p: self.parameters.changed(p, numbers))
            if sections["parameters"] and averaged:
                sections["parameters"]["averaged"] = averaged
        if whole:
            sections["updates"] = updates
        if self.network is not None and self.network.order:
            sections["network"] = part(self.network.gather, numbers)
        elif self.graphs is not None and self.graphs.layers is not None and not self.seen:
            called = {id(one.value): one.facts["name"] for one in self.parameters.list if one.value is not None}
            sections["network"] = part(self.graphs.layers.gather, called, numbers)
        if whole and self.graphs is not None:
            had = {i for i, state in states.items() if state != "zero"}
            values = [(one.facts["name"], one.value) for one in self.parameters.list if one.value is not None] or self._captured()
            if self.later:
                ours = self.held()
                values = [(name, p) for name, p in values if id(p) in ours or id(p) not in self.trained]
            every = [(name, p, id(p) in had) for name, p in values]
            found = sections["graph"] = part(self.graphs.gather, every, numbers)
            if found and wasted:
                found["wasted"] = wasted
            beside = part(self.labels.beside.gather)
            second = part(self.straight.gather, numbers)
            if found and second:
                found["second_zero"] = second
            addends = part(self.labels.addends.gather, numbers)
            if found and addends:
                found["addends"] = addends
            normal = part(self.labels.dense, main)
            if found and normal:
                found["density"] = normal
            if found and beside and "terms" in found:
                found["terms"]["labels"] = beside
        self.groups = [self._groups(s, states) for s in sorted(t.optims, key=lambda s: s.index) if s.ref() is not None and s not in self.old]
        self.network = self.graphs = self.graph_step = self.input_step = None
        self.parameters = self.running = self.gradients = self.rows = self.inputs = self.first = self.anew = self.loose = None
        self.blind = None
        return {name: facts for name, facts in sections.items() if facts}

    def _wasted(self):
        """Of the graph: WastedFacts or None, and ids of parameters."""
        wasted = self.graphs.wasted if self.graphs is not None else None
        return wasted.gather(changed_by(self._optimisers())) if wasted is not None else None

    def _leave_copies(self, states):
        """Copies that are next to what trains are no parameters of this training. states: of the gradients, by id."""
        t = self.tracker
        if states and not t.by_hand and not any(root.divided for root in t.roots):
            values = [one.value for one in self.parameters.list]
            t.facts.copies.missing = frozenset(id(p) for p in values if p is not None and id(p) not in states and p.grad is None)
        beside = self._of_copies()
        self.parameters.list = [one for one in self.parameters.list if id(one.value) not in beside]

    def _of_copies(self):
        """Ids of the parameters of copies that are next to what trains, as far as they are known."""
        facts = self.tracker.facts
        return {id(p) for root in self.tracker.roots for one in facts.copies.of(root, facts.held()) for p in one.parameters()}

    def _last_running(self):
        self.running.last(self._of_copies())

    def looked_at(self):
        """Roots that live."""
        return [root for root in self.seen if root.inner() is not None]

    def held(self):
        """Ids of the parameters that optimisers of this training hold."""
        return {id(p) for o in self._optimisers() for group in o.param_groups for p in group["params"]}

    def _optimisers(self):
        """The optimisers of this training, those that have not stepped among them."""
        every = [s.ref() for s in self.tracker.optims if s not in self.old] + [ref() for ref in self.tracker.unstepped]
        return [o for o in every if o is not None]

    def _captured(self):
        """(name, tensor) of what is captured of the optimisers' own tensors, where no model is known."""
        entries = self.tracker.publisher.frames.entries
        return [(e.name, e.parameter()) for e in entries if not e.grad and e.parameter() is not None]

    def _by_parameter(self):
        """Of each parameter of an optimiser what cannot be told from the optimisers as a whole: id -> {lr, updates}."""
        t, out = self.tracker, {}
        stepped = [(s.ref(), self.counts.get(id(s), 0)) for s in t.optims if s not in self.old]
        every = [(o, n) for o, n in stepped + [(ref(), 0) for ref in t.unstepped] if o is not None]
        several = len(every) > 1
        for optimiser, updates in every:
            for group in optimiser.param_groups:
                for p in group["params"]:
                    facts = out.setdefault(id(p), {})
                    if several:
                        facts["updates"] = max(updates, facts.get("updates", 0))
                    rate = plain(group.get("lr"))
                    if len(optimiser.param_groups) > 1 and rate is not None:
                        facts["lr"] = max(rate, facts.get("lr", rate))
        return out

    def _groups(self, state, states):
        """GroupFacts of one optimiser."""
        optimiser = state.ref()
        if optimiser is None:
            return []
        ours = set()
        for root in self.tracker.roots:
            inner = root.inner()
            if inner is not None and (id(root) in self.called or self.later and root.known_called):
                ours.update(id(p.value) for p in names.parameters(inner))
        out = []
        for group in optimiser.param_groups:
            betas = group.get("betas")
            facts = {
                "lr": plain(group.get("lr")),
                "weight_decay": plain(group.get("weight_decay")),
                "momentum": plain(group.get("momentum")),
                "eps": plain(group.get("eps")),
                "maximize": bool(group.get("maximize", False)),
                "parameters": len(group["params"]),
                "strangers": sum(id(p) not in ours and states.get(id(p), "zero") == "zero" for p in group["params"]),
            }
            if isinstance(betas, (tuple, list)) and all(plain(b) is not None for b in betas):
                facts["betas"] = [plain(b) for b in betas]
            out.append(facts)
        return out
