"""The Tracker's part that follows backward and the updates of optimisers."""

import threading
import time
import weakref

import torch

from vigil import _guard, _marks
from vigil._torch import device, graph, handwritten_losses, optimisers, rates, sharded_tensors, trained_loss
from vigil._torch.deferred_values import Mean, total
from vigil._torch.losses import call_site
from vigil._torch.publisher import DIGEST_EVERY, DIGEST_FIRST, ranks
from vigil._torch.steps import UPDATED, Optimiser

_now = time.perf_counter_ns
_thread = threading.get_ident


def _named(node, last):
    """(function, loss module, node of the function) of the loss that ``node`` gave."""
    name, found = graph.find(node)
    if not name:
        by_hand = handwritten_losses.find(node)
        if by_hand is not None:
            name = by_hand[0]
    return name, last[1].type if last is not None and last[1].is_main else "", found


class Updates(object):
    """Mixed into Tracker."""

    # backward

    def backward_begins(self, args, kwargs):
        """backward was called: the graph is still there."""
        began = _now()
        if self.closed or (self.thread is not None and self.thread != _thread()):
            return
        self.entered = began
        self.facts.call("backward")
        self.passes.backward()
        if self.nest and not self.in_closure:
            self.nest = 0
        if self.depth:
            self.depth = 0
        tensors = args[0] if args else kwargs.get("tensors")
        if not (self.optims or self.roots):
            self.plain.backward(tensors)
        step = self.open
        if step is None or step.mode not in UPDATED:
            step = self._train_after_all(step)
        step.backwards += 1
        if self.facts.look.open and self.session is not None:
            self.facts.look.backward([tensors] if isinstance(tensors, torch.Tensor) else [t for t in tensors if isinstance(t, torch.Tensor)])
        elif self.looks and not self.facts.look.open:
            self.facts.debugging.take(self.publisher.auto.count - self.facts.began)
        if isinstance(tensors, torch.Tensor):
            self._loss(tensors, call_site(2))
        else:
            site = call_site(2)
            for i, tensor in enumerate(tensors):
                if isinstance(tensor, torch.Tensor):
                    self._loss(tensor, (site, i))
        self.spent += _now() - self.entered + self.passage

    def _train_after_all(self, step):
        """backward without an open TRAIN step: the forward was not seen, or it was in eval() with gradients."""
        self.functions.ends()
        if step is not None and step.maybe_train:
            self.losses.rename(step.mode, 0)
            self.functions.drop()
            if step.root is not None:
                step.root.trains_in_eval = True
            else:
                self.trains_in_eval = True
            if not step.numbered:
                self.open, self.suspended = self.suspended, None
        return self.open if self.open is not None and self.open.mode in UPDATED else self._open_train()

    def _loss(self, tensor, site):
        """One tensor that backward is called on: a loss when it has one element."""
        if tensor.numel() != 1 or device.valueless(tensor) or sharded_tensors.replicated(tensor) is None or device.capturing(tensor):
            return
        last = self.losses.last
        if last is not None and self.losses.whole() is tensor:
            last[1].is_main = True
            self.pending.add(site, last[2])
            self._note_loss(site, tensor, last[2])
            if not self.facts.loss:
                name, node = graph.find(tensor.grad_fn)
                self.facts.loss_seen(name, last[1].type, node)
                self.functions.trained = trained_loss.of(tensor.grad_fn)
            self._labels(tensor.grad_fn)
            return
        factor, node = graph.base(tensor, self.publisher.world if self.session is not None else ranks()[2])
        if self.losses.same(tensor, node):
            value = last[2]
        else:
            value = self.reader.read(sharded_tensors.replicated(tensor), factor)
            if factor != 1.0:
                self.losses.equals(value)
        self.pending.add(site, value, graph.share(node) if node is not None else None)
        if node is not None and node is tensor.grad_fn and factor == 1.0:
            self._note_loss(site, tensor, value)
        if not self.facts.loss:
            last = self.losses.last
            self.facts.loss_seen(*_named(node, last))
            self.functions.trained = trained_loss.of(tensor.grad_fn)
        self._labels(node)

    def _labels(self, node):
        """What a loss function was given, for the facts and for collections."""
        if self.facts.labels.open:
            with self.facts.look.timed():
                self.facts.labels.backward(node, self.facts.look.outputs)
        if self.activations.roles and self.open is not None and self.session is not None:
            self.publisher.at(self.open)
            self.activations.backward(node, self.open)

    def _note_loss(self, site, tensor, value):
        """The loss of this step is one that the lane could read."""
        if type(value) is float and not graph.is_scaling(tensor.grad_fn):
            self.one_loss = (site, type(tensor.grad_fn))

    def backward_ends(self):
        """The gradients are there: what a hand-written update will use."""
        if self.closed or (self.thread is not None and self.thread != _thread()):
            return
        self.entered = _now()
        if self.facts.look.open:
            self.facts.look.backward_ends()
        if self.session is not None and not self.by_hand:
            self.spent += _now() - self.entered + self.passage
            return
        self._note_gradients()
        self.spent += _now() - self.entered + self.passage

    # updates

    def before_update(self, optimiser, args, kwargs):
        """An optimiser is about to step. May return other arguments for it."""
        self.nest += 1
        if self.nest > 1 or self.closed:
            return None
        self.entered = _now()
        self.facts.call("step", type(optimiser).__name__)
        self._capture_begins(self.open)
        out = self._before(optimiser, args, kwargs)
        self._capture_ends()
        self.spent += _now() - self.entered + self.passage
        return out

    def _before(self, optimiser, args, kwargs):
        if self.thread != _thread() and not self._claim_thread():
            return None
        self.depth = 0
        state = self._optimiser(optimiser)
        self._end_before(state)
        step = self.open
        if step is None or step.mode not in UPDATED:
            step = self._open_train()
        where, closure = optimisers.closure_in(args, kwargs)
        if closure is None:
            self._adopt_new(state, step, optimiser)
            self._copy(state, step, optimiser)
            return None
        return optimisers.with_closure(where, self._follow(closure, state, optimiser), args, kwargs)

    def _claim_thread(self):
        """Training is where updates happen; another thread takes over only when the first one is gone."""
        if self.thread is None or all(t.ident != self.thread for t in threading.enumerate()):
            self.thread = _thread()
            self.marks.trains_in(self.thread)
            return True
        return False

    def _follow(self, closure, state, optimiser):
        """The closure that an optimiser calls, once or often: forward, backward and clipping happen in it."""
        tracker = self
        kept = []

        def followed(*args, **kwargs):
            tracker.closure_begins(kept)
            try:
                out = closure(*args, **kwargs)
            except BaseException:
                tracker.in_closure = False  # or no later step would ever be seen to end
                tracker.marks.ends(_marks.OTHER)
                raise
            tracker.closure_ends(state, optimiser)
            return out

        return followed

    @_guard.guard
    def closure_begins(self, kept):
        """The last call counts: each begins with the losses that were there before the first."""
        self.in_closure = True
        if kept:
            self.pending = kept[0]
            if self.open is not None:
                self.losses.take(self.open.mode)
        kept[:] = [self.pending.copy()]
        self.marks.begins(_marks.OTHER)

    @_guard.guard
    def closure_ends(self, state, optimiser):
        began = _now()
        self.marks.ends(_marks.OTHER)
        self.in_closure = False
        if self.open is not None:
            if not state.adopted:
                self.entered = began
                self._adopt_new(state, self.open, optimiser)
                began = _now()
            self._capture_begins(self.open)
            self._copy(state, self.open, optimiser)
            self._capture_ends()
        self.spent += _now() - began + self.passage

    def _copy(self, state, step, optimiser):
        """Copy weights and gradients of a due step: they are as the optimiser will use them."""
        if self.session is None:
            return
        if self.facts.look.open:
            self.facts.look.update(state)
        elif self.looks:
            self.facts.astray.update(state, optimiser, step)
            self.facts.unfrozen.update(state, step)
        if self.publisher.world > 1 and step.mode == 0:
            self._digest(state, step)
        if not step.is_due or (state in step.done):
            return
        frames = self.publisher.frames
        rates.note(step, state, optimiser)
        if self.rebuilt or frames.stale:
            self._renew()
        if len(optimiser.param_groups) != state.groups:
            self._grown(state)
        if self.publisher.frozen:
            for root in self.publisher.unfrozen():
                self.publisher.announce(root, self._owner_of, set())
        chunks = frames.due(state, step.due)
        if chunks:
            scale = getattr(optimiser, "grad_scale", None)
            frames.copy(chunks, self.publisher.at(step), scale)

    def _digest(self, state, step):
        """In a job of several ranks: numbers that are equal where the weights are, were before the first update, and where the gradients are."""
        n = step.mode_step
        if n >= DIGEST_FIRST and n % DIGEST_EVERY or step.digests and state in step.digests or device.recording():
            return
        out = []
        for what in ("weights", "gradients"):
            norm = self.publisher.frames.norms(state, what == "gradients")
            if norm is not None:
                mean = Mean()
                mean.add(self.reader.read(norm))
                out.append((what, mean))
        if out and out[0][0] == "weights":
            # Ranks that begin at other times have no first step in common: so the start goes with every digest.
            state.start = state.start or out[0][1]
            out.append(("start", state.start))
        suffix = "" if state.index == 0 else "/%d" % state.index
        step.digests = step.digests or {}
        step.digests[state] = [("digest/%s%s" % (what, suffix), mean) for what, mean in out]

    def after_update(self, optimiser):
        """An optimiser has stepped."""
        if self.nest > 0:
            self.nest -= 1
        if self.nest or self.closed:
            return
        self.updates += 1
        self.entered = _now()
        self._capture_begins(self.open)
        self._after(optimiser)
        self._capture_ends()
        self.spent += _now() - self.entered + self.passage

    def _after(self, optimiser):
        if self.thread != _thread():
            return
        state = self._optimiser(optimiser)
        step = self.open
        if step is None or step.mode not in UPDATED:
            return
        found = getattr(optimiser, "found_inf", None)
        if isinstance(found, torch.Tensor) and found.numel() == 1 and not device.capturing(found):
            step.flag = step.flag or Mean()
            step.flag.add(self.reader.read(found))
        frames = self.publisher.frames
        if frames.held or frames.carrier.waiting:
            frames.publish((step.number(), step.mode, step.mode_step))
        if step.is_due and self.publisher.states.wanted and state not in step.done:
            self.publisher.states.capture(state, optimiser, step.due, self.publisher.at(step))
        if self.facts.look.open and self.session is not None:
            self.facts.look.updated(state)
        self._updated(state, step)

    def update_skipped(self, optimiser):
        """A loss scaler found an overflow and did not let the optimiser step."""
        self.settle()
        if self.closed or (self.thread is not None and self.thread != _thread()):
            return
        self.entered = _now()
        self.nest = 0
        step = self.open
        if step is None or step.mode not in UPDATED:
            return
        state = self._optimiser(optimiser)
        if self._end_before(state):
            step = self.open or self._open_train()
        if not state.adopted:
            self._adopt(state, optimiser)
        step.skipped = True
        if self.facts.look.open and self.session is not None:
            self.facts.look.gradients.skipped(state)
        self._updated(state, step)
        self.spent += _now() - self.entered + self.passage

    def _updated(self, state, step):
        """One update is done: its losses are known, and the step may close."""
        means = self.pending.take() if self.pending.sites else None
        if means:
            if step.losses is None:
                step.losses = {}
            mean = step.losses.get(state)
            if mean is None:
                mean = step.losses[state] = Mean()
            mean.add(total(means))
        if state.training != self.trainings.current:
            self.trainings.goes_on(state)
        step.done.append(state)
        step.active = time.perf_counter()
        closes = self.cycle.closes(step, state, self._others())
        if closes:
            self._close(step, step.active, False)
        else:
            step.tentative = closes is None

    def _end_before(self, state):
        """Whether the update of ``state`` shows that the step was over before: it closes with the last one that was in it."""
        if self.cycle.repeats(state):
            self.cycle.settle()
        elif not self.cycle.takes_over(self.open, state):
            return False
        step = self.open
        if step is not None and step.tentative:
            step.tentative = False
            self._close(step, step.active)
        return True

    def _optimiser(self, optimiser):
        """The state of an optimiser; a new one gets the lowest index that is free."""
        for state in self.optims:
            if state.ref() is optimiser:
                return state
        self.optims = [s for s in self.optims if s.ref() is not None]
        used = {s.index for s in self.optims}
        index = next(i for i in range(len(used) + 1) if i not in used)
        state = Optimiser(optimiser, index)
        self.optims.append(state)
        return state

    def _others(self):
        """Whether other optimisers live that have not stepped yet."""
        if not self.unstepped:
            return False
        stepped = {id(s.ref()) for s in self.optims}
        self.unstepped = [r for r in self.unstepped if r() is not None and id(r()) not in stepped]
        return bool(self.unstepped)

    def _set_up_is_over(self):
        """What finding and connecting took is no part of the step. Returns its seconds."""
        now = _now()
        took = now - self.entered
        self.entered = now
        self._capture_ends()
        self.away.total = 0
        self._capture_begins(self.open)
        self.takes_once(took)
        return took * 1e-9

    def takes_once(self, nanoseconds):
        """What is no part of a step was ours."""
        if self.session is not None:
            self.session.once_ns += nanoseconds
        else:
            self.early += nanoseconds

    def _adopt_new(self, state, step, optimiser):
        """Adopt an optimiser that steps for the first time. With a closure that is after its first call: only then is it known what the script calls."""
        if not state.adopted:
            self._adopt(state, optimiser)
            step.began += self._set_up_is_over()

    def _adopt(self, state, optimiser):
        """An optimiser steps for the first time: find its models, connect if need be, announce."""
        state.adopted = True
        if self.plain.root is not None:
            self.by_hand = False  # what the script did so far is over
        if not self.refused and self.session is None:
            self.trainings.optimiser(state, optimiser)
            known = {id(s.ref()) for s in self.optims}
            self.unstepped = [weakref.ref(o) for o in self.registry.optimisers() if id(o) not in known]
            self._find_roots(state, self.registry.modules())
            if self._connect():
                self._announce_all()
                self.facts.found()
                self._set_due(self.open)
                self._look_at_roots(self.roots)
                if not self.roots and state.loose is not None and self.facts.look.open:
                    self.facts.look.plain(state.loose)
            return
        if self.session is not None:
            self.trainings.optimiser(state, optimiser)
            before = self._later(state)
            self._look_at_roots(self.roots[before:] if not self.facts.look.later else self._roots_of(state))

    def _roots_of(self, state):
        """The models that an optimiser updates, also those that were known before."""
        return [r for r in self.roots if r.inner() is not None and any(state.has(p) for p in r.inner().parameters())]

    def _grown(self, state):
        """An optimiser was given parameters later: those of models, or of parts of models, that nothing updated before."""
        state.refresh()
        self._later(state)

    def _look_at_roots(self, roots):
        """Models were found, and nothing has changed their weights yet."""
        self.facts.copies_of(roots)
        if self.facts.look.open:
            self.facts.look.roots(roots)
