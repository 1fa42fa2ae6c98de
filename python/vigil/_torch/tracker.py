"""Follows a training and says when steps open and close.

All events of PyTorch arrive here: calls of roots, backward, outputs of loss
modules, updates by optimisers. The Tracker makes steps of them (a TRAIN step is
one update of the weights, see vigil._torch.steps) and has their values
published. Nothing here raises into training: what PyTorch calls is guarded.
"""

import threading
import time
import weakref

import torch

from vigil import _fork, _guard, _log, _look, _marks, _wire
from vigil._schedule import Away, passage
from vigil._torch import (
    autograd_grad_wrapper,
    checkpoints,
    compat,
    compiler,
    control,
    device,
    loaders,
    loading,
    loss_series,
    models,
    module_hooks,
    opened_steps,
    optimisers,
    ranks,
    reduce_lr_on_plateau,
    saved_tensor_hooks,
    updates,
    why_not_trained,
)
from vigil._torch.activations import Activations
from vigil._torch.backward import wrap_backward
from vigil._torch.deferred_values import Mean, Reader
from vigil._torch.discover import Discovery, Searches
from vigil._torch.epochs import Epochs
from vigil._torch.evaluation_losses import FunctionLosses
from vigil._torch.facts import Facts
from vigil._torch.fast_path import FastPath
from vigil._torch.gradient_penalty_without_graph import watch_grad
from vigil._torch.gradients import wrap_clip
from vigil._torch.losses import Modules, Pending, call_site, loss_in_output, samples_returned
from vigil._torch.passes import Passes
from vigil._torch.plain_tensors import PlainTensors
from vigil._torch.publisher import Publisher
from vigil._torch.registry import Registry
from vigil._torch.steps import EVAL, TRAIN, UPDATED, Counter, Cycle
from vigil._torch.trainings import Trainings
from vigil._torch.updates_from_autograd_grad import Grads

_now = time.perf_counter_ns
_grad_enabled = torch.is_grad_enabled
_thread = threading.get_ident


class Tracker(models.Models, updates.Updates, control.Control, loss_series.LossSeries, opened_steps.OpenedSteps):
    """The state of one process's training; its other parts are in models (which models), updates (optimisers), control (the script's calls) and loss_series."""

    def __init__(self):
        self.start_agent = False
        self.dir = None
        self.name = None
        self.installed = False
        self.passage = 0  # nanoseconds: see vigil._schedule.passage
        self.looks = _look.wanted()  # facts of the training are read
        self.closed = False
        self.mode = None  # what the script set, or None
        self.marks = _marks.Marks()
        self.marks.beside = compiler.Compiler().tell
        self.reductions = ranks.Reductions(self)
        self.lane = FastPath(self)
        self.registry = Registry()
        self.loaders = weakref.WeakSet()
        self.epochs = Epochs(self)
        self.passes = Passes(self, self.epochs)
        self._clear()

    def _clear(self):
        """The state of a process in which nothing was seen yet."""
        self.lane.armed = False
        self.lane.alike = 0
        self.one_loss = (None, None)  # (call site, type of the loss's node) of the open step's backward, when it is ordinary
        self.session = None
        self.refused = False  # there is nothing to connect to
        self.activations = Activations(self)
        self.publisher = Publisher(self.activations)
        self.discovery = Discovery(self)
        self.roots = []
        self.optims = []
        self.unstepped = []  # weak references to optimisers that have not stepped
        self.losses = Modules(self)
        self.functions = FunctionLosses(self)
        self.pending = Pending()
        self.reader = Reader()
        self.cycle = Cycle()
        self.counter = Counter()
        self.facts = Facts(self)
        self.epochs.forget()
        self.passes.forget()
        self.trainings = Trainings(self)
        self.searches = Searches(self.registry)
        self.plain = PlainTensors(self)
        self.grads = Grads(self)
        self.open = None
        self.suspended = None  # a TRAIN step that an evaluation interrupted
        self.last_closed = (0, 0, 0)
        self.has_loss = False  # the step that closed last
        self.last_close = None  # perf_counter seconds of the last TRAIN step's end, None when something came between
        self.depth = 0
        self.nest = 0
        self.updates = 0
        self.measured = 0  # TRAIN steps at which the length of a step was last told
        self.in_closure = False
        self.in_backward = False
        self.backward_seen = False
        self.thread = None
        self.snapshot = None
        self.windows = 0
        self.waiting_collections = []
        self.eval_loss_seen = False
        self.eval_loss_told = False  # by a trainer, because no EVAL step showed one
        self.trains_in_eval = False  # before the roots were known, one in eval() was trained
        self.custom = {}  # name of a tensor the script saved -> (id, shape)
        self.spent = 0  # nanoseconds of the open step that were ours
        self.early = 0  # nanoseconds that were ours before there was a session
        self.away = Away()
        self.entered = 0

    def install(self):
        """Register with PyTorch. Once per process."""
        if self.installed:
            return
        self.installed = True
        self.passage = passage()
        optimisers.install(self)
        compat.on_registration(self.put, self.registry.module)
        wrap_backward(self)
        if self.looks:
            reduce_lr_on_plateau.install(self)
            watch_grad(self)
            wrap_clip(self)
            loading.watch(self)
        self.discovery.wrap_compile()
        module_hooks.stay_out(compat.compiles)
        saved_tensor_hooks.watch()
        self.discovery.start()
        why_not_trained.watch(self)
        autograd_grad_wrapper.grad(lambda args, kwargs: self.functions.differentiated(args, kwargs))
        checkpoints.watch(self)
        loaders.watch(self)
        ranks.watch(self)
        _fork.on_child(self.forked)

    def starts(self, dir, name):
        """The script asked for Vigil itself: an agent may be started."""
        self.start_agent = True
        self.dir = dir or self.dir
        self.name = name or self.name

    def forked(self):
        """In a forked child: forget the parent's session; connect again if this process trains."""
        for root in self.roots:
            root.unhook()
        self.discovery.stop()
        self.activations.detach()
        self.facts.look.detach()
        self.facts.evaluation.detach()
        self.facts.averages.detach()
        self.functions.ends()
        device.leave(self.publisher, self.reader, self.marks.device)
        self.marks.forget()
        self._clear()
        _log.unregister(self)
        self.discovery.start()

    # Calls of roots.

    def again(self):
        """Whether a forward runs again within backward, where its first run was a checkpoint: all of it was seen before."""
        return compat.in_backward(self.in_backward)

    def root_called(self, root, module):
        """A root is about to run: the event that opens steps."""
        began = _now()
        if self.again():
            return
        if self.depth:
            if root.nested:
                self.depth += 1
            return
        if root.nested:
            self.depth = 1
        root.known_called = True
        if self.thread is not None and self.thread != _thread():
            return
        if self.closed:
            return
        self.registry.module(module)  # a copy is told of by nothing else
        self.entered = began
        if self.nest and not self.in_closure:
            self.nest = 0  # an optimiser's step ended with an error
        self._called(root, module, module.training or root.trains_in_eval)
        self.spent += _now() - self.entered + self.passage

    def root_returned(self, root):
        if self.depth and not self.again():
            self.depth -= 1

    def _called(self, root, module, training):
        """``training``: the model's own flag, or that it is known to train in eval()."""
        mode = self.mode
        step = self.open
        if mode is None:
            grad = _grad_enabled()
            if training and (grad or compat.checkpointed()):
                mode = TRAIN
            elif step is not None and step.mode == TRAIN and (training or step.numbered):
                # Without gradients inside an open step: a teacher, a metric, a GAN's other half.
                return
            elif training and len(self.roots) > 1 and root is not None:
                mode = TRAIN  # one network of several makes what another will train on
            else:
                mode = EVAL
        if mode == TRAIN:
            self.facts.call("model", type(module).__name__)
        if mode in (1, 2):
            self._open_eval(mode, root, module)
        elif step is None or step.mode != mode:
            self._open_train(mode, root)
        elif step.backwards and self._changed_by_hand(root):
            self._close_by_hand()
            self._open_train(mode, root)

    def _watch_eval(self, root, module, step):
        """See what a root returns in evaluation, and for some steps which modules come after it: losses."""
        self.windows += 1

        @_guard.guard
        def returned(module, args, output):
            handle.remove()
            self.eval_returned(root, args, output, step)

        handle = module_hooks.after(module, returned)

    def eval_returned(self, root, args, output, step):
        found = loss_in_output(output)
        if found is not None and self.open is step and not device.capturing(found):
            root.outputs_loss = True
            step.own_loss = step.own_loss or Mean()
            step.own_loss.add(self.reader.read(found))
            step.samples = samples_returned(args, output)
        elif not self.discovery.on and not any(key[0] == step.mode for key in self.losses.outputs):
            self.discovery.open_window()

    # Losses.

    def loss_output(self, module, output, args=(), kwargs=None):
        """A loss module returned ``output`` for its arguments."""
        if self.closed or (self.thread is not None and self.thread != _thread()):
            return
        if self.again() or (self.lane.armed and self.lane.loss(module, output)):
            return
        self.entered = _now()
        step = self.open
        mode = step.mode if step is not None else (TRAIN if _grad_enabled() else EVAL)
        self.losses.gave(module, output, mode, self.reader, call_site(2), args, kwargs)
        if self.facts.labels.open and mode == TRAIN:
            with self.facts.look.timed():
                self.facts.call("loss", type(module).__name__)
                self.facts.look.loss_module(module)
                self.facts.labels.call(module, args, kwargs)
        if step is not None and step.mode == EVAL:
            step.active = time.perf_counter()
        self.spent += _now() - self.entered + self.passage

    def activation(self, take, *what):
        """A hooked module was called: have ``take`` copy what is due."""
        began = _now()
        step = what[-1]
        if step is self.open and self.session is not None and (self.thread is None or self.thread == _thread()) and not self.again():
            self._capture_begins(step)
            self.publisher.at(step)
            take(*what)
            self._capture_ends()
        self.spent += _now() - began + self.passage

    def _capture_begins(self, step):
        """What is due is about to be copied: see how much of that the thread is kept from running. A device's work is no processor time, and counts."""
        if step is not None and step.is_due and self.session is not None and not torch.cuda.is_initialized():
            self.away.begins(self.session.ring.waited)

    def _capture_ends(self):
        if self.away.at is not None:
            self.away.ends(self.session.ring.waited if self.session is not None else 0)

    # Closing.

    def windows_closed(self):
        """Whether no loss is looked for between two calls of a root."""
        return self.discovery.window is None

    def wrote(self, path, mtime_ns, size):
        """A checkpoint was written: the steps that are over by now are in it."""
        if self.session is None or self.closed or (self.thread is not None and self.thread != _thread()):
            return
        self.settle()
        self.entered = _now()
        if self.open is not None and self.open.mode not in UPDATED and not self.depth:
            self._close_open()  # an evaluation whose last forward is over
        number, modes = self.counter.next, list(self.counter.modes)
        for step in (self.open, self.suspended):
            if step is not None and step.done:
                number = max(number, step.number() + 1)
                modes[step.mode] = step.mode_step + 1
        self.session.checkpoint(path, mtime_ns, size, number, modes)

    def goes_on(self, place):
        """The job was resumed: steps are counted on from ``place``, the one that is open too."""
        self.counter.next = place["step"]
        self.counter.modes[:] = [place["modes"].get(name, 0) for name in _wire.MODES]
        for step in (self.open, self.suspended):
            if step is not None:
                step.mode_step = self.counter.of(step.mode)
                step.renumber()
        self.last_closed = (max(self.counter.next - 1, 0), TRAIN, max(self.counter.modes[TRAIN] - 1, 0))

    def settle(self):
        """The script calls from outside a step's own events: the general state is brought up to date."""
        lane = self.lane
        if not lane.armed:
            return
        if lane.thread == _thread():
            lane.leave()
        else:
            self.last_closed = (lane.number - 1, TRAIN, lane.n - 1)

    def finish(self):
        """The session ends: close what is open, publish what waits, say what was understood."""
        self.lane.leave()
        self.entered = _now()
        self.functions.ends()
        if self.by_hand and self.open is not None and self.open.backwards and self._changed_by_hand(None):
            self._close_by_hand()
        elif self.open is not None:
            self._close_open()
        if self.session is not None:
            self.publisher.flush(True)
            self.marks.send(True)
            self.tell_unsearched()
            self.facts.finish()
