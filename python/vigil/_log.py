"""vigil.log and vigil.save_tensor: what a script gives, with or without a training hook."""

import copy
import os
import sys
import threading
import time

import vigil
from vigil import _guard, _wire

# While a framework is imported but its hook has seen no training yet, values
# wait for the hook: it knows the step. When it does not come, they
# become steps of their own.
FRAMEWORKS = ("torch", "xgboost")
MOST_WAITING = 100
MOST_SECONDS = 10.0

_lock = threading.RLock()
_waiting = []  # (method of a hook, its arguments, step)
_since = 0.0
_plain = None  # the PlainLog of a script without a framework's hook
_off = False
_registered_exit = False


@_guard.guard
def log(values, step=None):
    """See vigil.log."""
    hook = vigil._current
    if hook is not None:
        hook.log(values, step)
        return
    if _plain is None and (_off or os.environ.get("VIGIL") == "0"):
        return
    with _lock:
        if _plain is None and _should_wait():
            _waiting.append(("log", (dict(values), step), step))
            return
        _begin()
        if _plain is not None:
            _plain.log(values, step)


@_guard.guard
def save_tensor(name, value, collections=None, step=None):
    """See vigil.save_tensor."""
    hook = vigil._current
    if hook is not None:
        hook.save_tensor(name, value, collections)
        return
    if _plain is None and (_off or os.environ.get("VIGIL") == "0"):
        return
    with _lock:
        if _plain is None and _should_wait():
            _waiting.append(("save_tensor", (name, _copy(value), collections), step))
            return
        _begin()
        if _plain is not None:
            _plain.save_tensor(name, value, collections, step)


def _copy(value):
    """A value as it is now."""
    detach = getattr(value, "detach", None)
    return detach().clone() if callable(detach) else copy.deepcopy(value)


def _should_wait():
    """Whether a hook may still come."""
    global _since
    if not os.environ.get("VIGIL_SOCKET") or not any(f in sys.modules for f in FRAMEWORKS):
        return False
    if not _waiting:
        _since = time.monotonic()
        if not _registered_exit:
            _at_exit()
    return len(_waiting) < MOST_WAITING and time.monotonic() - _since < MOST_SECONDS


def _at_exit():
    global _registered_exit
    import atexit

    _registered_exit = True
    atexit.register(_flush)


@_guard.guard
def _flush():
    """At exit: what waited for a hook that never came."""
    with _lock:
        if _waiting and _plain is None and vigil._current is None:
            _begin()
            if _plain is not None:
                _plain.close()
                if _plain.session is not None:
                    _plain.session.bye()


def _begin():
    """Open the session of a plain Python script, and give it what waited."""
    global _plain, _off
    if _plain is not None:
        return
    began = time.perf_counter_ns()
    import platform

    from vigil import _fork
    from vigil._session import Session

    session = Session.connect("python", platform.python_version(), *rank(), start=True)
    if session is None:
        _off = True  # said once, by who could not connect
        return
    _plain = PlainLog(session)
    session.once_ns += time.perf_counter_ns() - began
    _fork.on_child(_child)
    waiting, _waiting[:] = list(_waiting), []
    for what, args, step in waiting:
        if what == "log":
            _plain.log(*args)
        else:
            _plain.save_tensor(*(args + (step,)))


def rank():
    """(rank, local rank, number of ranks) as launchers put them into the environment."""
    out = []
    for name, default in (("RANK", 0), ("LOCAL_RANK", 0), ("WORLD_SIZE", 1)):
        try:
            out.append(int(os.environ.get(name, default)))
        except ValueError:
            out.append(default)
    return tuple(out)


def _child():
    """A forked child begins again."""
    global _plain, _lock
    _plain = None
    _lock = threading.RLock()
    _waiting[:] = []


def register(hook):
    """Make hook (with a method log(values, step)) the one that logged values bind to."""
    global _plain
    with _lock:
        vigil._current = hook
        if _plain is not None:
            _plain.close()
            _plain = None
        waiting, _waiting[:] = list(_waiting), []
    for what, args, _ in waiting:
        getattr(hook, what)(*args)


def holds(session):
    """Whether session is that of a script without a framework's hook."""
    return _plain is not None and _plain.session is session


def unregister(hook):
    """Logged values no longer bind to hook."""
    if vigil._current is hook:
        vigil._current = None


class PlainLog(object):
    """Steps of mode GLOBAL made of what the script gives alone.

    A step is what the script did since it first logged for the step before: its length is the time between the two
    calls. The first one has none, as nothing says when it began, and what follows the last one is not a step.
    """

    def __init__(self, session):
        self.session = session
        self.step = None  # the open step
        self.last = -1  # the last closed one
        self.names = []  # tuples of what was given in it
        self.saved = {}  # name of a tensor that was saved -> (id, shape)
        self.at = None  # nanoseconds on the clock when the open step was first logged for
        self.length = 0  # nanoseconds of the open step
        self.own = 0  # of these, those that logging took
        self.cost = 0  # nanoseconds that logging took since: they are in the next step
        session.before_bye = self._end

    def log(self, values, step=None):
        began = time.perf_counter_ns()
        names = tuple(values)
        if not self._open(names, step, began):
            return
        step = self.step
        if not self.session.batch(names, values, step, _wire.GLOBAL, step):
            self.session.metrics(values, step, _wire.GLOBAL, step)
        self.cost += time.perf_counter_ns() - began

    def save_tensor(self, name, value, collections=None, step=None):
        began = time.perf_counter_ns()
        if not self._open((name,), step, began):
            return
        try:
            from vigil import _arrays
        except ImportError:
            self.session.missing([(name, "NumPy is not installed", 1)])
            return
        _arrays.save(self.session, self.saved, name, value, collections, (self.step, _wire.GLOBAL, self.step))
        self.cost += time.perf_counter_ns() - began

    def _open(self, names, step, now):
        """Have the step open that names belong to, now; whether there is one."""
        if step is None:
            if self.step is None or any(name in those for those in map(frozenset, self.names) for name in names):
                step = (self.last if self.step is None else self.step) + 1
            else:
                step = self.step
        step = int(step)
        if step != self.step:
            if step <= self.last or (self.step is not None and step < self.step):
                after = self.last if self.step is None else self.step
                self.session.missing([(str(n), "logged for step %d after step %d" % (step, after), 1) for n in names])
                return False
            self.close()
            self.step = step
            self.length = 0 if self.at is None else now - self.at
            self.at, self.own, self.cost = now, self.cost, 0
            self.session.begins()
            self.session.new_plan()
        self.names.append(names)
        return True

    def close(self):
        """Close the open step."""
        if self.step is None:
            return
        self.session.step(self.step, _wire.GLOBAL, self.step, self.length * 1e-9, self.own)
        self.last = self.step
        self.step = None
        self.names = []

    def _end(self):
        """The end of the session: what logging for the last step took is in no step."""
        self.close()
        self.session.once_ns += self.cost
