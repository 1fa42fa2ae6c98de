"""Losses of evaluation that functions of torch.nn.functional give.

Without gradients nothing else shows them: there is no graph and no backward. The
functions are watched while evaluation steps follow each other, and at no other
time (function_watch). A function that a loss module calls is that module's loss,
and one that PyTorch itself calls is a part of another.
"""

import os
import threading
import time

import torch

from vigil import _guard
from vigil._torch import device, function_watch, loss_functions, summary
from vigil._torch.deferred_values import Mean
from vigil._torch.losses import Output, samples
from vigil._torch.trained_loss import TrainedLoss

_now = time.perf_counter_ns
_thread = threading.get_ident
_PYTORCH = os.path.dirname(torch.__file__) + os.sep
_modes_on = getattr(torch._C, "_len_torch_dispatch_stack", None)
_tracing = torch._C._get_tracing_state
FEW = 20  # passes in which all functions are watched; later those that were seen


class FunctionLosses(object):
    """What loss functions gave in the open step of evaluation."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.on = None  # what watches
        self.passes = 0
        self.ways = None
        self.functions = {}
        self.compared = {}  # name -> what its first two arguments are called: the prediction, and what it is compared with
        self.seen = set()  # names of functions that gave a loss
        self.outputs = {}  # (mode, name, call site) -> Output
        self.counts = {}  # (mode, name) -> number of Outputs
        self.fired = []  # Outputs with values in the open step
        self.trained = TrainedLoss()  # what the training minimises
        self.logged = False  # the script gives the loss of its evaluation itself
        self.unclear = None  # the function that gave what may be another quantity than the loss of the training

    # A pass: steps of evaluation that follow each other.

    @_guard.guard
    def begins(self):
        """A step of evaluation has opened."""
        if self.on is not None or self.logged:
            return
        if self.ways is None:
            self.functions = loss_functions.found()
            self.compared = {name: f.__code__.co_varnames[:2] for name, f in self.functions.items()}
            self.ways = function_watch.watches(self.functions, self._gave)
        self.passes += 1
        every = self.passes <= FEW or self.passes & (self.passes - 1) == 0
        names = self.functions if every else self.seen
        for way in self.ways if names else ():
            self.on = way
            if way.begins(names):
                return
            self.on = None

    def ends(self):
        """The pass is over. Nothing may be left of it, also where all else is inert."""
        on, self.on = self.on, None
        if on is not None:
            try:
                on.ends()
            except Exception as error:
                _guard.failed("FunctionLosses.ends", error)

    def drop(self):
        """What was given in the open step is no loss of an evaluation."""
        fired, self.fired = self.fired, []
        for out in fired:
            out.mean = None

    # Within a step.

    def _gave(self, name, call, caller, value):
        """A function returns ``value``; call: what it was given, for function_watch; caller: the frame that called it."""
        began = _now()
        tracker, on = self.tracker, self.on
        step = tracker.open
        if on is None or tracker.closed or tracker.thread != _thread() or step is None or step.mode not in (1, 2):
            return
        code = caller.f_code
        if code.co_filename.startswith(_PYTORCH) or not self._readable(value, step):
            return
        given = on.given(call)
        how = loss_functions.reduction(given)
        if how == "none" and not self.trained.alike:
            self.unclear = name  # what the script makes of the values may be no mean
            return
        mean = loss_functions.mean(name, how, given, value)
        if mean is None:
            self.unclear = name
            return
        self._take(name, (id(code), caller.f_lasti), step, self._samples(name, given), *mean)
        now = _now()
        step.active = now * 1e-9
        tracker.spent += now - began + tracker.passage

    def _readable(self, value, step):
        """Whether a value is of this evaluation, and can be looked at here and now."""
        if type(value) is not torch.Tensor or not value.is_floating_point() or value.requires_grad and not step.maybe_train:
            return False
        if _tracing() is not None or _modes_on is not None and _modes_on() or value.is_meta:
            return False
        return not (summary.wrapped(value) or device.capturing(value))

    def _samples(self, name, given):
        """How many samples a call is of, None where that is not known."""
        prediction, labels = (given.get(argument) for argument in self.compared[name])
        if name == "ctc_loss":
            return int(prediction.shape[1]) if prediction.dim() == 3 else 1  # places come first
        return samples((prediction, labels))

    def _take(self, name, site, step, count, value, divisor):
        key = step.mode, name, site
        out = self.outputs.get(key)
        if out is None:
            n = self.counts.get(key[:2], 0)
            self.counts[key[:2]] = n + 1
            out = self.outputs[key] = Output("%s_output_%d" % (name, n), name, step.mode, site)
            self.seen.add(name)
        if out.mean is None:
            out.mean, out.samples = Mean(), None
            self.fired.append(out)
        out.samples = 0 if count is None or out.samples == 0 else (out.samples or 0) + count
        if divisor is None:
            divisor = 1.0
        elif isinstance(divisor, torch.Tensor):
            divisor = [(divisor, False)]
        out.mean.add(self.tracker.reader.read(value, divisor))

    @_guard.guard
    def differentiated(self, args, kwargs):
        """torch.autograd.grad is called: what was given with a graph was to be differentiated, as of an attack on the model."""
        step = self.tracker.open
        if self.fired and step is not None and step.maybe_train and self.tracker.thread == _thread():
            self.drop()

    # The end of a step.

    def take(self):
        """[(Output, Mean)] of the step that closes."""
        fired, self.fired = self.fired, []
        out = []
        for output in fired:
            mean, output.mean = output.mean, None
            out.append((output, mean))
        return out

    def main(self, given):
        """Of what take gave: the pair of the loss, (None, None) where no function is known to give what the training minimises."""
        trained = self.trained
        fits = [pair for pair in given if trained.name and loss_functions.same(pair[0].type, trained.name)]
        if not trained.name and len(given) == 1:
            fits = given
        if trained.alone and len(fits) == 1:
            return fits[0]
        self.unclear = given[0][0].type
        return None, None

    def known(self):
        """Whether the open step has the loss so far."""
        return bool(self.fired) and self.main([(output, output.mean) for output in self.fired])[1] is not None

    def gives(self, output):
        """Whether an Output is of a function."""
        return self.outputs.get((output.mode, output.type, output.site)) is output
