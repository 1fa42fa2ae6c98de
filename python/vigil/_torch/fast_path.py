"""The ordinary step, in as little code as possible.

While a small model trains, its data fills the processor's caches between one of
our hooks and the next, and every line of ours has to be fetched from memory
again: the general way of the Tracker, cheap when repeated at once, costs many
times that in a step of a millisecond. A training whose steps look alike (one
model, one optimiser, one backward from one place, nothing due, losses on the
CPU) therefore takes this lane. It does for such a step just what the general
way does; whatever is not ordinary leaves the lane, and the general way goes on
from the middle of that step.
"""

import threading
import time
import weakref

import torch

from vigil._torch.deferred_values import Mean
from vigil._torch.device import far as _far
from vigil._torch.losses import call_site, version
from vigil._torch.steps import TRAIN

_now = time.perf_counter_ns
_seconds = time.perf_counter
_grad_enabled = torch.is_grad_enabled
_thread = threading.get_ident

STRETCH = 64  # steps after which the general way sees one: interval, facts, bounded wait
SHORT = 8  # a stretch below it was not worth taking the lane
WAIT, MOST_WAIT = 4, 1024  # steps that look alike before the lane is taken
CLOSED, FORWARD, BACKWARD, UPDATE = range(4)  # how far the step has come


class FastPath(object):
    """``armed`` while the next step is taken to be ordinary; every event asks it first then, and is told whether it is done with."""

    __slots__ = ("armed", "state", "tracker", "root", "optimiser", "owner", "thread", "node", "output", "site", "id", "output_id",
                 "number", "n", "first", "until", "last", "given", "version", "value", "own", "closed", "begins", "steps", "plain", "seconds", "captured",
                 "alike", "wait", "passages")  # fmt: skip

    def __init__(self, tracker):
        self.tracker = tracker
        self.armed = False
        self.state = CLOSED
        self.alike = 0
        self.wait = WAIT
        self.given = self.version = None
        self.own = 0
        self.passages = 0  # nanoseconds of a step in which its events are on the way to us and back

    # The events of a step. True: done with; False: the general way has to see it.

    def forward(self, module):
        """The root is about to run."""
        began = _now()
        if _thread() != self.thread:
            return True
        if self.state < BACKWARD and module.training and _grad_enabled() and self.tracker.session._next_plan is None:
            if self.state == CLOSED:
                self.begins()
            self.state = FORWARD
            self.own += _now() - began
            return True
        if self.tracker.again():
            return True
        self.leave()
        return False

    def loss(self, module, output):
        """A loss module returned ``output``."""
        began = _now()
        if _thread() != self.thread:
            return True
        if self.state == FORWARD and self.output is not None and self.given is None and type(module).__name__ == self.output.type:
            if isinstance(output, torch.Tensor) and output.numel() == 1 and call_site(1) == self.output.site:
                self.given, self.version = weakref.ref(output), version(output)
                self.own += _now() - began
                return True
        self.leave()
        return False

    def backward(self, args):
        """backward was called."""
        began = _now()
        if _thread() != self.thread:
            return True
        if self.state == FORWARD and args:
            tensor = args[0]
            if (isinstance(tensor, torch.Tensor) and type(tensor.grad_fn) is self.node and tensor.numel() == 1 and not _far(tensor)
                    and call_site(1) == self.site
                    and (self.output is None or (self.given is not None and self.given() is tensor and tensor._version == self.version))):  # fmt: skip
                self.value = tensor.item()
                if type(self.value) is float:
                    self.state = BACKWARD
                    self.own += _now() - began
                    return True
        self.leave()
        return False

    def before(self, optimiser, args, kwargs):
        """An optimiser is about to step."""
        began = _now()
        if _thread() != self.thread:
            return self._foreign()
        if self.state == BACKWARD and self.optimiser() is optimiser and len(args) < 2 and not kwargs:
            self.state = UPDATE
            self.own += _now() - began
            return True
        self.leave()
        return False

    def after(self, optimiser):
        """An optimiser has stepped: the step is over."""
        began = _now()
        if _thread() != self.thread:
            return True
        if self.state != UPDATE or self.optimiser() is not optimiser:
            self.leave()
            return False
        ended = _seconds()
        seconds, self.last = ended - self.last, ended
        n = self.n
        if self.output is not None:
            self.tracker.session.scalar(self.output_id, self.number, TRAIN, n, self.value)
        now = _now()
        own = self.own + now - began + self.passages
        self.closed(self.id, self.value, self.number, n, seconds, own)
        self.steps.append(seconds)
        self.plain.append(own * 1e-9)
        self.seconds += seconds
        self.captured += own
        self.tracker.updates += 1
        self.number += 1
        self.n = n = n + 1
        self.tracker.marks.step(TRAIN, False, self.number - 1, n - 1)
        self.given = None
        self.state = CLOSED
        self.own = _now() - now  # publishing belongs to the next step
        if n >= self.until:
            self.leave()
        return True

    def _foreign(self):
        """Another thread updates weights: nothing of ours, unless the one that trained is gone."""
        if any(t.ident == self.thread for t in threading.enumerate()):
            return True
        self.leave()
        return False

    # Taking and leaving it.

    def consider(self, step, outputs, site, node):
        """A TRAIN step has closed the general way: the next ones may take the lane when enough of them looked alike.

        outputs: of its loss modules, with their Means; site and node: where its one backward was called, and the type of the loss's node in the graph; None when there was another.
        """
        tracker = self.tracker
        publisher = tracker.publisher
        n = step.mode_step + 1
        until = min(publisher.next_due[TRAIN], n + STRETCH)
        if until <= n:
            return
        if site is None or not self._ordinary(step, outputs):
            self.alike = 0
            return
        self.alike += 1
        if self.alike < self.wait or tracker.last_close is None:
            return
        state = step.done[0]
        self.root = step.root
        self.optimiser = state.ref
        self.owner = state
        self.thread = tracker.thread
        self.site = site
        self.node = node
        self.id = publisher.loss_id(state.series)
        self.closed = tracker.session.closed
        self.begins = tracker.session.begins
        self.steps = publisher.auto.steps
        self.plain = publisher.auto.plain
        self.number = tracker.counter.next
        self.n = self.first = n
        self.until = until
        self.last = tracker.last_close
        self.given = None
        self.value = self.seconds = 0.0
        self.own = self.captured = 0
        self.state = CLOSED
        self.armed = True

    def _ordinary(self, step, outputs):
        """Whether a closed step was one that the lane can do; then ``output`` and its id are set."""
        t = self.tracker
        if not (t.mode is None and len(t.roots) == 1 and len(t.optims) == 1 and not t.unstepped and not t.discovery.on and not t.by_hand
                and t.publisher.world == 1 and t.suspended is None and t.open is None and not t.publisher.queue and t.thread is not None
                and t.windows_closed() and not t.in_closure):  # fmt: skip
            return False
        root = t.roots[0]
        if root.nested or root.compiled or root.trains_in_eval or len(root.handles) != 1 or step.root is not root:
            return False
        if step.skipped or step.flag is not None or step.own_loss is not None or len(step.done) != 1 or step.backwards != 1:
            return False
        if t.cycle.members is None or len(t.cycle.members) != 1 or t.cycle.members[0] is not step.done[0]:
            return False
        optimiser = step.done[0].ref()
        if optimiser is None or getattr(optimiser, "grad_scale", None) is not None or getattr(optimiser, "found_inf", None) is not None:
            return False
        if len(outputs) > 1 or (outputs and not (outputs[0][0].is_main and outputs[0][1].count == 1)):
            return False
        self.output = outputs[0][0] if outputs else None
        self.passages = (5 if outputs else 4) * t.passage
        self.output_id = self.output.id if outputs else None
        return True

    def leave(self):
        """Hand over to the general way, in the middle of a step if need be. Nothing happens outside the lane."""
        if not self.armed:
            return
        self.armed = False
        t = self.tracker
        state, self.state = self.state, CLOSED
        taken = self.n - self.first
        if taken:
            t.counter.next = self.number
            t.counter.modes[TRAIN] = self.n
            t.last_closed = (self.number - 1, TRAIN, self.n - 1)
            t.has_loss = True
            t.publisher.auto.passed(taken, self.seconds, self.captured * 1e-9)
        t.last_close = self.last
        t.spent, self.own = t.spent + self.own, 0
        if self.n < self.until:
            self.wait = min(2 * self.wait, MOST_WAIT) if taken < SHORT else WAIT
            self.alike = 0
        if state >= FORWARD:
            self._reopen(state)
        self.given = None

    def _reopen(self, state):
        """The step that is under way, as the general way would have it."""
        t = self.tracker
        t.entered = _now()
        step = t._begin(TRAIN, self.root, self.last)
        output = self.given() if self.given is not None else None
        if output is not None and self.output is not None:
            value = self.value if state >= BACKWARD else float(output.item())
            self.output.mean = Mean()
            self.output.mean.add(value)
            t.losses.fired.append(self.output)
            t.losses.last = (self.given, self.output, value, self.version)
        if state >= BACKWARD:
            step.backwards = 1
            t.pending.add(self.site, self.value)
        if state == UPDATE:
            t.nest = 1
