"""One tensor of a trial over its steps."""

import bisect
import enum

from vigil import _strings
from vigil._hook_base import modes
from vigil._reductions import NAMES, computed, reduce, saved
from vigil.exceptions import (
    InvalidValue,
    InvalidWorker,
    NotSupported,
    ShapeUnavailableForStep,
    StepNotYetAvailable,
    StepUnavailable,
    TensorUnavailableForStep,
)

GLOBAL = modes.GLOBAL
_MIN_EXP, _MAX_EXP = -149, 127  # of the powers of two that histograms tell apart


class StepState(enum.Enum):
    """Whether a step is there."""

    UNAVAILABLE = 0
    AVAILABLE = 1
    NOT_YET_AVAILABLE = 2


def mode_of(mode):
    """A member of modes, given as one, as text, or as a member of another enumeration with these names."""
    if mode is None or isinstance(mode, modes):
        return mode
    name = getattr(mode, "name", mode)
    if isinstance(name, str):
        try:
            return modes[name.upper()]
        except KeyError:
            pass
    raise InvalidValue("%r is not a mode; known are TRAIN, EVAL, PREDICT, GLOBAL" % (mode,))


class Tensor(object):
    """One tensor, or scalar, over the steps of a trial.

    step_num is a step of ``mode``, a global step when that is GLOBAL. A worker
    that is not named is the first, in alphabetical order, that has the step.
    """

    def __init__(self, name, trial):
        self.name = name
        self.original_name = name
        self.trial = trial
        self._first = trial._steps.resolve(name)

    @property
    def _parts(self):
        return self.trial._steps.parts[self._first]

    @property
    def info(self):
        """What is known of the tensor besides its values: kind, dtype, module, module_type, collections …"""
        return dict(self.trial._steps.infos.get(self.name) or self.trial._steps.infos.get(self._first, {}))

    def steps(self, mode=GLOBAL, show_incomplete_steps=False):
        """The steps at which there is something of it, ascending."""
        self.trial.maybe_refresh()
        mode = mode_of(mode)
        of = [p.steps if mode is GLOBAL else p.of_mode.get(mode.value, ()) for p in self._parts.values()]
        held = list(of[0]) if len(of) == 1 else sorted(set().union(*of))
        if self.trial._range is not None:
            held = [s for s in held if self.trial._find(s, mode) is not None]
        return held

    def prev_steps(self, step, n=None, mode=GLOBAL):
        """The last n of its steps up to this one, ascending; all of them without n."""
        held = self.steps(mode)
        end = bisect.bisect_right(held, step)
        return held[max(end - n, 0) if n else 0 : end]

    def workers(self, step_num, mode=GLOBAL):
        """The workers that have the step, sorted."""
        at = self._at(step_num, mode)
        held = sorted(w for w, p in self._parts.items() if p.has(at))
        if not held:
            raise TensorUnavailableForStep(self.name, step_num, mode_of(mode))
        return held

    def value(self, step_num, mode=GLOBAL, worker=None):
        """The values as a numpy array, of strings too; of a scalar without dimensions (a float where there is no numpy).

        TensorUnavailableForStep when they were not stored: by default only
        statistics are.
        """
        at, part, worker = self._part(step_num, mode, worker)
        self._feed_read()
        if part.scalar:
            try:
                return _numpy().array(part.value(at))
            except ImportError:
                return part.value(at)
        if not part.has_values(at):
            raise TensorUnavailableForStep(self.name, step_num, mode_of(mode), has_reductions=True)
        _numpy()
        own, own_step = self.trial._steps.place(at)
        found = self.trial._feed.ask(self._first, own.value, own_step, worker)
        if found is None:
            raise TensorUnavailableForStep(self.name, step_num, mode_of(mode), has_reductions=True)
        return _strings.decode(found) if self.info.get("strings") else found

    def values(self, mode=GLOBAL, worker=None):
        """Step -> values, of all its steps."""
        return {step: self.value(step, mode, worker) for step in self.steps(mode)}

    def shape(self, step_num, mode=GLOBAL, worker=None):
        """The shape at a step as a tuple; ShapeUnavailableForStep where it is not known."""
        at, part, _ = self._part(step_num, mode, worker)
        if part.scalar:
            return ()
        own, _ = self.trial._steps.place(at)
        first = self.info.get("first_shape")
        shape = part.shape(at, own.value, tuple((self.info.get("shape") if first is None else first) or ()))
        count = 1
        for n in shape:
            count *= n
        if count == part.statistics(at)["count"]:
            return shape
        if part.has_values(at):
            return self.value(step_num, mode, worker).shape
        raise ShapeUnavailableForStep(self.name, step_num, mode_of(mode))

    def shapes(self, mode=GLOBAL, worker=None):
        """Step -> shape, of all its steps."""
        return {step: self.shape(step, mode, worker) for step in self.steps(mode)}

    def reduction_value(self, step_num, reduction_name, mode=GLOBAL, worker=None, abs=False):
        """A statistic of the tensor at a step: min, max, mean, std, variance, sum, prod, l1, l2, median.

        With ``abs`` it is that of the magnitudes. Norms are over all elements,
        std and variance those of the population. Also count, zeros, nan and inf:
        how many elements there are, are zero, are NaN, are infinite; prod_sign and
        prod_log, which tell a product that float64 does not hold (prod is then
        infinite or 0, as numpy has it). A median of more than 1,048,576 elements
        that was computed at capture is an ``Approximate``, a float whose ``error``
        says by which share it may be off; the values give the exact one. What the
        captured statistics do not tell is computed from the values, where those
        are stored.
        """
        if reduction_name not in NAMES:
            raise InvalidValue("read reduction: unknown reduction %r; known are %s" % (reduction_name, ", ".join(NAMES)))
        at, part, _ = self._part(step_num, mode, worker)
        self._feed_read()
        if self.info.get("strings"):
            raise TensorUnavailableForStep("%s of %s, which holds strings," % (reduction_name, self.name), step_num, mode_of(mode))
        if not part.scalar:
            found = saved(part.statistics(at), reduction_name, abs)
            if found is None:
                found = computed(part.computed.get(at, {}), part.statistics(at), reduction_name, abs)
            if found is not None:
                return found
            if not part.has_values(at):
                name = ("abs_" if abs else "") + reduction_name
                raise TensorUnavailableForStep("%s of %s" % (name, self.name), step_num, mode_of(mode), has_reductions=True)
        return reduce(self.value(step_num, mode, worker), reduction_name, abs)

    def histogram(self, step_num, mode=GLOBAL, worker=None):
        """(counts, edges) of the elements at a step, as numpy.histogram gives them; the bins go by powers of two.

        The bin around zero holds zeros alone, and what is not finite is in no
        bin. TensorUnavailableForStep where no histogram is stored: it is of
        weights, biases and gradients, and of collections that ask for it. For
        rules, which judge statistics, there is none.
        """
        at, part, worker = self._part(step_num, mode, worker)
        own, own_step = self.trial._steps.place(at)
        counts = None if part.scalar else self.trial._feed.ask(self._first, own.value, own_step, worker, "hist")
        if counts is None:
            raise TensorUnavailableForStep("histogram of %s" % self.name, step_num, mode_of(mode), has_reductions=True)
        numpy = _numpy()
        positive = 2.0 ** numpy.arange(_MIN_EXP, _MAX_EXP + 2)
        edges = numpy.concatenate([-positive[::-1], positive])
        middle = len(counts) // 2
        used = numpy.nonzero(counts)[0]
        used = used[used != middle]
        # The zeros' bin reaches to the smallest element of either sign.
        near = int(numpy.abs(used - middle).min()) - 1 if len(used) else _MAX_EXP - _MIN_EXP
        low = min(int(used.min()) if len(used) else middle, middle - near)
        high = max(int(used.max()) if len(used) else middle, middle + near)
        return (
            numpy.concatenate([counts[low : middle - near], [counts[middle]], counts[middle + near + 1 : high + 1]]),
            numpy.concatenate([edges[low : middle - near + 1], edges[middle + near + 1 : high + 2]]),
        )

    def reduction_values(self, step_num, mode=GLOBAL, worker=None):
        """(name, abs) -> value of all statistics that were captured at a step."""
        at, part, _ = self._part(step_num, mode, worker)
        if part.scalar or self.info.get("strings"):
            return {}
        statistics = part.statistics(at)
        out = {}
        for name in NAMES:
            for magnitude in (False, True):
                found = saved(statistics, name, magnitude)
                if found is None:
                    found = computed(part.computed.get(at, {}), statistics, name, magnitude)
                if found is not None:
                    out[name, magnitude] = found
        return out

    def step(self, *args, **kwargs):
        raise NotSupported("read tensor: write value(step) instead of step(step).value")

    def _feed_read(self):
        """Note what is read, for the evidence of a rule."""
        note = getattr(self.trial._feed, "read", None)
        if note is not None:
            note(self.name)

    def _at(self, step_num, mode):
        """The global step of a step of a mode."""
        mode = mode_of(mode)
        self.trial.maybe_refresh()
        at = self.trial._find(step_num, mode)
        if at is None:
            state = self.trial.has_passed_step(step_num, mode)
            raise (StepNotYetAvailable if state == StepState.NOT_YET_AVAILABLE else StepUnavailable)(step_num, mode)
        return at

    def _part(self, step_num, mode, worker):
        """(global step, part, worker) of a step at which there is something of the tensor."""
        at = self._at(step_num, mode)
        if worker is not None and worker not in self._parts:
            raise InvalidWorker(worker)
        for name in [worker] if worker is not None else sorted(self._parts):
            if self._parts[name].has(at):
                return at, self._parts[name], name
        raise TensorUnavailableForStep(self.name, step_num, mode_of(mode))

    def __repr__(self):
        return "<Tensor %r of %r>" % (self.name, self.trial.name)


def _numpy():
    try:
        import numpy
    except ImportError as error:
        import sys

        raise ImportError("values are NumPy arrays, and %s has no working NumPy: %s" % (sys.executable, error)) from error
    return numpy
