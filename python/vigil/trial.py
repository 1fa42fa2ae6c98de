"""Reading a run: ``from vigil.trial import create_trial``.

    trial = create_trial("vigil-runs/demo")
    trial.tensor("loss").value(10)
    trial.tensor("fc.weight").reduction_value(10, "l2")

The names are those of smdebug's analysis API. Steps are complete steps: those
that all workers have left. ``modes`` are TRAIN, EVAL, PREDICT and GLOBAL; a step
of mode GLOBAL is a global step, counted over all modes.
"""

import json
import logging
import re
import time

from vigil._hook_base import modes
from vigil._steps import MODES
from vigil._tensor import StepState, Tensor, mode_of
from vigil.exceptions import (
    InvalidType,
    InvalidValue,
    NoMoreData,
    NotSupported,
    StepNotYetAvailable,
    StepUnavailable,
    TensorUnavailable,
)

__all__ = ["create_trial", "modes", "no_refresh", "refresh", "Collection", "StepState", "Tensor", "Trial"]

GLOBAL, TRAIN = modes.GLOBAL, modes.TRAIN
PARTS = ("step", "data", "to_device", "forward", "backward", "ranks", "optimizer", "checkpoint", "other")


class Collection(object):
    """A named group of tensors."""

    def __init__(self, name, tensor_names=()):
        self.name = name
        self.tensor_names = set(tensor_names)

    def __repr__(self):
        return "<Collection %r: %d tensors>" % (self.name, len(self.tensor_names))


def create_trial(path, name=None, profiler=False, range_steps=None, **ignored):
    """Open the run in the directory ``path``; while the job goes on, the trial grows.

    name: how the trial is called (default: the directory's name). range_steps:
    (first, end) to see only global steps from first on and before end. The
    program ``vigil`` reads the files; VIGIL_BIN names it where it is not found.
    """
    from vigil import _run_reader

    if profiler:
        raise NotSupported("create trial: there is no trial of profiler data; machine() and step_times() of any trial have the machine and the parts of steps")
    unknown = sorted(set(ignored) - {"output_dir", "check", "index_mode", "cache", "parallel"})
    if unknown:
        raise InvalidType("create trial: unknown argument %r" % unknown[0])
    return Trial(_run_reader.Reader(path), path, name, range_steps)


class Trial(object):
    """A run. Trials with the same name and path are equal."""

    def __init__(self, feed, path, name=None, range_steps=None):
        self._feed = feed
        self._range = range_steps
        self.path = str(path)
        self.name = name if name is not None else self.path.rstrip("/").rsplit("/", 1)[-1]
        self.dynamic_refresh = True
        self.logger = logging.getLogger("vigil")

    # What there is.

    @property
    def _steps(self):
        return self._feed.steps

    def maybe_refresh(self, name=None):
        """Take in what was stored since, unless the trial is frozen; with a name, only if that is not known yet."""
        if self.dynamic_refresh and (name is None or self._steps.resolve(name) is None):
            self._feed.refresh()

    def refresh_data(self):
        """Take in what was stored since."""
        self._feed.refresh()

    @property
    def loaded_all_steps(self):
        """Whether the job has ended and all of it is here."""
        return self._steps.ended is not None

    @property
    def last_complete_step(self):
        """The last global step; -1 before the first."""
        return self._steps.last

    @property
    def num_workers(self):
        return len(self.workers())

    def workers(self):
        """Names of the workers, sorted."""
        self.maybe_refresh()
        return list(self._steps.workers)

    def modes(self):
        """The modes in which there are steps; GLOBAL is not one of them."""
        self.maybe_refresh()
        return [m for m in MODES[:3] if any(self._within(g) for g in self._steps.of_mode[m.value][1])]

    def steps(self, mode=GLOBAL, show_incomplete_steps=False):
        """Steps of a mode, ascending; of GLOBAL all global steps."""
        self.maybe_refresh()
        mode = mode_of(mode)
        if mode is None:
            return []
        steps, of = (self._steps.order,) * 2 if mode is GLOBAL else self._steps.of_mode[mode.value]
        return list(steps) if self._range is None else [s for s, g in zip(steps, of) if self._within(g)]

    def mode(self, global_step):
        """The mode of a global step; None when there is none."""
        return self.mode_modestep(global_step)[0]

    def mode_step(self, global_step):
        """The step of its mode that a global step is; None when there is none."""
        return self.mode_modestep(global_step)[1]

    def mode_modestep(self, global_step):
        """(mode, step of the mode) of a global step; (None, None) when there is none."""
        self.maybe_refresh()
        place = self._steps.place(global_step) if self._within(global_step) else None
        return place or (None, None)

    def global_step(self, mode, mode_step):
        """The global step of a step of a mode; None when there is none."""
        mode = mode_of(mode)
        if mode is GLOBAL:
            return mode_step
        self.maybe_refresh()
        return self._find(mode_step, mode)

    def has_passed_step(self, step, mode=GLOBAL):
        """A StepState: whether the step is there, will never be, or has yet to come."""
        self.maybe_refresh()
        mode = mode_of(mode)
        if self._find(step, mode) is not None:
            return StepState.AVAILABLE
        steps = self._steps.order if mode is GLOBAL else self._steps.of_mode[mode.value][0]
        if self.loaded_all_steps or (steps and steps[-1] > step):
            return StepState.UNAVAILABLE
        if self._range is not None and mode is GLOBAL and not self._within(step):
            return StepState.UNAVAILABLE
        return StepState.NOT_YET_AVAILABLE

    def wait_for_steps(self, required_steps, mode=GLOBAL):
        """Return when all steps are there. StepUnavailable: one was passed; NoMoreData: the job ended before it."""
        mode = mode_of(mode)
        for step in required_steps:
            while True:
                self._feed.refresh()
                state = self.has_passed_step(step, mode)
                if state == StepState.AVAILABLE:
                    break
                if state == StepState.UNAVAILABLE:
                    steps = self.steps(mode)
                    if not steps or step > steps[-1]:
                        raise NoMoreData(step, mode, steps[-1] if steps else -1)
                    raise StepUnavailable(step, mode)
                if not self._feed.grows:
                    raise StepNotYetAvailable(step, mode)
                time.sleep(0.1)

    def tensor_names(self, show_prefixed_tensors=False, step=None, mode=GLOBAL, regex=None, collection=None):
        """Sorted names of tensors and scalars: all, of a step, those a pattern is found in, or of a collection."""
        self.maybe_refresh()
        if regex is not None and collection is not None:
            raise InvalidValue("name tensors: regex and collection exclude each other")
        mode = mode_of(mode)
        names = self._names(step, mode)
        if collection is not None:
            name = getattr(collection, "name", collection)
            if not isinstance(name, str):
                raise InvalidType("name tensors: a collection is a name or a Collection, not %r" % (collection,))
            held = set(getattr(collection, "tensor_names", ()))
            names = {n for n in names if n in held or self._steps.in_collection(n, name)}
        elif regex is not None:
            patterns = [re.compile(p) for p in _flat(regex)]
            names = {n for n in names if any(p.search(n) for p in patterns)}
        if not names and (collection is not None or regex is not None):
            self.logger.debug("no tensor is selected by %r", collection if regex is None else regex)
        return sorted(names)

    def _names(self, step, mode):
        steps = self._steps
        if step is None and mode is GLOBAL:
            return {n for n in steps.all_names() if self._range is None or self._of(n, lambda p: any(map(self._within, p.steps)))}
        if step is None:
            if not steps.of_mode[mode.value][0]:
                raise KeyError(mode)
            return {n for n in steps.all_names() if self._of(n, lambda p: mode.value in p.of_mode)}
        at = self._find(step, mode)
        if at is None:
            if mode is GLOBAL:
                return set()
            raise KeyError(step)
        return {n for n in steps.all_names() if self._of(n, lambda p: p.has(at))}

    def _of(self, name, wanted):
        """Whether any worker's part of a tensor is wanted."""
        return any(wanted(p) for p in self._steps.parts[self._steps.resolve(name)].values())

    def has_tensor(self, name):
        self.maybe_refresh(name)
        return self._steps.resolve(name) is not None

    def tensor(self, name):
        """A Tensor; TensorUnavailable when nothing was captured of it."""
        self.maybe_refresh(name)
        if self._steps.resolve(name) is None:
            raise TensorUnavailable(name, min((n for n in self._steps.parts if name in n), key=len, default=None))
        return Tensor(name, self)

    def collections(self):
        """Collections by name."""
        self.maybe_refresh()
        return {name: Collection(name, tensors) for name, tensors in sorted(self._steps.collections().items())}

    def collection(self, name):
        """A collection; an empty one, with a warning, when there is none of that name."""
        found = self.collections().get(name)
        if found is None:
            self.logger.warning("the run has no collection %r", name)
            found = Collection(name)
        return found

    def inputs(self, step, mode=GLOBAL):
        """Values of what went into the model at a step."""
        return self._values(step, mode, "inputs", r"_input_\d+$", "input")

    def labels(self, step, mode=GLOBAL):
        """Values of the labels that the losses were given at a step."""
        return self._values(step, mode, "labels", r"^labels", "label")

    def predictions(self, step, mode=GLOBAL):
        """Values of the predictions that the losses were given at a step."""
        return self._values(step, mode, "predictions", r"^predictions", "prediction")

    def _values(self, step, mode, collection, regex, kind):
        names = self.tensor_names(step=step, mode=mode, collection=collection)
        names = names or [n for n in self.tensor_names(step=step, mode=mode) if self._steps.infos.get(n, {}).get("kind") == kind]
        names = names or self.tensor_names(step=step, mode=mode, regex=regex)
        return [self.tensor(n).value(step, mode) for n in sorted(names, key=_suffix)]

    # What goes by time.

    def hosts(self):
        """Names of the machine's series by host: ``{"node1": ["cpu/total", ...]}``."""
        found = self._feed.ask("", GLOBAL.value, 0, "", "hosts")
        return {} if found is None else json.loads(found.tobytes().decode("utf-8"))

    def machine(self, name, host=None):
        """(times, values) of a machine's series: numpy arrays, the times in seconds since 1970. host: default the first."""
        found = self._feed.ask(name, GLOBAL.value, 0, host or "", "machine")
        if found is None:
            raise TensorUnavailable(name, None)
        return found[0], found[1]

    def step_times(self, part="step", mode=TRAIN, worker=None):
        """(steps, times, seconds) of a part of the steps of a mode: when each ended, and how long the part took.

        part: data, to_device (Go programs), forward, backward, ranks, optimizer, checkpoint, other, or step for all but the gap before it.
        """
        if part not in PARTS:
            raise InvalidValue("step times: %r is none of %s" % (part, ", ".join(PARTS)))
        found = self._feed.ask("time/" + part, mode_of(mode).value, 0, worker or "", "time")
        if found is None:
            raise TensorUnavailable("time/" + part, None)
        return found[0].astype("int64"), found[1], found[2]

    def close(self):
        """Let go of the run. What is in memory stays readable."""
        self._feed.close()

    # Parts of the above.

    def _within(self, global_step):
        return self._range is None or (self._range[0] is None or global_step >= self._range[0]) and (
            self._range[1] is None or global_step < self._range[1]
        )

    def _find(self, step, mode):
        found = self._steps.find(step, mode)
        return found if found is not None and self._within(found) else None

    def __hash__(self):
        return hash((self.name, self.path))

    def __eq__(self, other):
        return isinstance(other, Trial) and (self.name, self.path) == (other.name, other.path)

    def __repr__(self):
        self.maybe_refresh()
        return "<Trial %r (%s): %d steps, %d tensors>" % (self.name, self.path, len(self._steps.order), len(self._steps.all_names()))


class _Refreshing(object):
    def __init__(self, trials, dynamic):
        self._trials = list(trials) if isinstance(trials, (list, tuple, set)) else [trials]
        self._dynamic = dynamic
        self._before = []

    def __enter__(self):
        self._before = [t.dynamic_refresh for t in self._trials]
        for t in self._trials:
            t.dynamic_refresh = self._dynamic
        return self

    def __exit__(self, *exc):
        for t, before in zip(self._trials, self._before):
            t.dynamic_refresh = before


class no_refresh(_Refreshing):
    """``with no_refresh(trials):`` what comes meanwhile is not seen."""

    def __init__(self, trials):
        _Refreshing.__init__(self, trials, False)


class refresh(_Refreshing):
    """``with refresh(trials):`` what comes meanwhile is seen."""

    def __init__(self, trials):
        _Refreshing.__init__(self, trials, True)


def _flat(patterns):
    if isinstance(patterns, (list, tuple, set)):
        return [p for one in patterns for p in _flat(one)]
    return [patterns]


def _suffix(name):
    digits = re.search(r"(\d+)$", name)
    return (int(digits.group(1)) if digits else -1, name)
