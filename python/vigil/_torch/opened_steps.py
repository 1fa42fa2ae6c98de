"""The Tracker's part that opens steps and closes them."""

import time

import torch

from vigil._schedule import PATIENT
from vigil._torch.steps import EVAL, TRAIN, UPDATED, Optimiser, Step

_now = time.perf_counter_ns
_grad_enabled = torch.is_grad_enabled
WINDOWS = 20  # EVAL steps in which losses are looked for


class OpenedSteps(object):
    """Mixed into Tracker."""

    def _open_train(self, mode=TRAIN, root=None):
        """Open a step that an update will close, or go on with the one that an evaluation interrupted."""
        if self.open is not None:
            self._close_open()
            step = self.open
            if step is not None and step.mode == mode:
                if not step.backwards or self._gradients_cleared():
                    self.pending.take()
                    self.losses.take(mode)
                    step.backwards = 0
                    step.began = time.perf_counter()
                return step
        return self._begin(mode, root, self.last_close or time.perf_counter())

    def _open_eval(self, mode, root, module):
        """Open a step of one forward. A TRAIN step without its update waits, unless its records are out already."""
        step = self.open
        held = None
        if step is None:
            pass
        elif step.mode not in UPDATED:
            held, self.suspended = self.suspended, None
            self._close_open(goes_on=True)
        elif step.tentative:
            self._close_open()
        elif step.numbered:
            return
        else:
            held = step
        self.last_close = None
        step = self._begin(mode, root, time.perf_counter())
        self.passes.evaluated_from()
        step.maybe_train = self.mode is None and _grad_enabled()
        self.suspended = held
        if self.session is not None:
            self.functions.begins()
        if root is not None and mode == EVAL and self.looks and not self.facts.evaluation.ready and self.session is not None:
            with self.facts.look.timed():
                self.facts.evaluation.begins(root, module, step)
        if root is not None and (root.outputs_loss or self.windows < WINDOWS):
            self._watch_eval(root, module, step)

    def _begin(self, mode, root, began):
        step = self.open = Step(self.counter, mode, self.counter.of(mode), began)
        step.root = root
        if self.session is not None:
            self.session.begins()
            if self.session._next_plan is not None and self.publisher.take_plan():
                self.publisher.reschedule(self.counter.modes)
            self._set_due(step)
        return step

    def _set_due(self, step):
        due = self.publisher.due(step.mode, step.mode_step)
        if due:
            if (self.rebuilt or self.publisher.frames.stale) and not any(root.divided for root in self.roots):
                self._renew()
            if step.mode_step >= PATIENT:
                self.session.ring.patience = 0.0
            step.due = due
            step.is_due = True
            if self.activations.wanted:
                self.activations.attach(step, due)
            if step.mode == TRAIN:
                for state in self.optims:
                    if state.adopted:
                        self.publisher.frames.ahead.begin(state, due)

    def _close_open(self, goes_on=False):
        """Close whatever is open, as far as it counts. goes_on: the next step of a pass of evaluation follows."""
        step, self.open = self.open, None
        if not goes_on:
            self.functions.ends()
        if step.mode in UPDATED:
            if step.done:
                self._close(step, step.active)
            else:
                self.activations.detach()
        else:
            self._close(step, time.perf_counter())
            if self.suspended is not None:
                self.open, self.suspended = self.suspended, None
                if self.session is not None:
                    self.session.begins()

    def _close(self, step, ended, late=True):
        """Publish a step that is over; late: it was so before this moment."""
        if self.open is step:
            self.open = None
        if self.activations.handles or self.activations.roles:
            self.activations.detach()
        if self.discovery.window is not None:
            self.discovery.close_window()
        if step.mode not in UPDATED:
            self.passes.evaluated()
        outputs = self.losses.take(step.mode)
        if self.functions.fired:
            given = self.functions.take()
            if not outputs and step.own_loss is None:
                outputs = given  # no loss module was used, and neither the model nor the script gave a loss
        if self.session is None:
            self.spent = 0
            return
        scalars, self.has_loss = self._scalars(step, outputs)
        if self.has_loss and step.mode == EVAL:
            self.eval_loss_seen = True
        if step.digests:
            for state in step.done:
                scalars.extend((self.publisher.metric_id(name), mean.number()) for name, mean in step.digests.get(state, ()))
        if step.rates:
            scalars.extend((self.publisher.metric_id(name, "training"), rate) for name, rate in step.rates.items())
        seconds = ended - step.began
        now = _now()
        own, self.spent = self.spent + now - self.entered, 0
        self.entered = now
        if self.away.total or self.away.at is not None:
            own = max(own - self.away.take(self.session.ring.waited), 0)
        self.last_closed = (step.number(), step.mode, step.mode_step)
        self.counter.closed(step)
        self.publisher.close(step, scalars, step.skipped, seconds, own, step.flag)
        self.marks.step(step.mode, late, *self.last_closed[::2])
        self._after_close(step, seconds, own)
        if step.mode == TRAIN and not self.facts.look.open:
            self.lane.consider(step, outputs, *self.one_loss)
        self.one_loss = (None, None)

    def _after_close(self, step, seconds, own):
        """After a step: the interval, what was understood, the bounded wait."""
        if self.facts.look.open:
            self.facts.look.closed()
        if step.mode != TRAIN:
            if self.facts.evaluation.step is step:
                self.facts.eval_step(step)
            return
        self.last_close = time.perf_counter()
        auto = self.publisher.auto
        if auto.add(seconds, own, self.publisher.kind(step.due)):
            self.publisher.reschedule(self.counter.modes)
        n = auto.count
        if n >= self.measured + 20:  # until then the length of a step is not known, and the longest wait holds
            self.measured = n
            self.session.step_seconds = auto.median_step()
        self.facts.step(n, step.root or self._updated_in(step))

    def _updated_in(self, step):
        """The root that the first update of a step was of, where its call was not seen; the first one where that is not known either."""
        state = step.done[0] if step.done else None
        for root in self.roots if isinstance(state, Optimiser) else ():
            inner = root.inner()
            first = next(inner.parameters(), None) if isinstance(inner, torch.nn.Module) else None
            if first is not None and state.has(first):
                return root
        return self.roots[0] if self.roots else None
