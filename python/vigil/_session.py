"""One training process's connection to the agent."""

import atexit
import os
import platform
import sys
import threading
import time

from vigil import _boot, _connection, _ending, _fork, _guard, _layout, _provenance, _ring, _stacks, _windows, _wire, _worker_windows
from vigil._messages import Words
from vigil._plan import Plan
from vigil._values import Values

BYE_SECONDS = 2.0  # how long the end of a process waits for a new agent when the last one died

_current = None  # this process's session
loaded = []  # files that a resumed job has read as checkpoints: {path, mtime_ns, size}


class Session(Words, Values):
    """What a hook holds: the plan, the ring to publish in, and the socket.

    No method raises (strict mode excepted) and none waits longer than its
    bounded wait. ``alive`` is False once the session is of no further use: the
    agent refused, the process forked, or too many errors came.

    Attributes a hook reads: ``alive``, ``plan`` (vigil._plan.Plan in force),
    ``run`` (path), ``worker`` (name), ``buffer`` (writable memoryview of the
    data area, which offsets index), ``address`` (its address in memory).
    It may set ``before_bye``. An alloc and the tensor(...) that publishes it belong
    to one thread, with no layout made in between.
    """

    @classmethod
    def connect(cls, framework, version, rank=0, local_rank=0, world=1, start=False, dir=None, name=None, reduces=False, shares=False):
        """Connect to the agent that VIGIL_SOCKET names; with ``start``, start one when there is none. ``reduces``: the hook can compute statistics itself. ``shares``: the weights lie in memory that processes share.

        None when there is nothing to connect to: the hook is inert then. A
        session that vigil.log opened in this process before ends.
        """
        try:
            return cls._connect(framework, version, rank, local_rank, world, start, dir, name, reduces, shares)
        except Exception as error:
            _guard.failed("Session.connect", error)
            return None

    @classmethod
    def _connect(cls, framework, version, rank, local_rank, world, start, dir, name, reduces, shares):
        global _current
        if _guard.inert or os.environ.get("VIGIL") == "0":
            return None
        path = os.environ.get("VIGIL_SOCKET")
        if not path:
            if not start:
                return None
            from vigil import _agent

            path = _agent.start(dir, name, world, local_rank)
            if not path:
                return None
        if _current is not None:
            _current.bye()
        session = cls(path, framework, version, rank, local_rank, world)
        if reduces:
            session._hello["reduces"] = True
        if shares:
            session._hello["shares"] = True
        try:
            session._open()
        except _connection.Refused as refused:
            reason, hint = refused.args
            sys.stderr.write("vigil: nothing is captured: %s%s\n" % (reason, "; " + hint if hint else ""))
            return None
        except OSError as error:
            sys.stderr.write("vigil: nothing is captured: connect to the agent at %s: %s\n" % (path, error))
            return None
        except Exception:
            session._end()
            raise
        _current = session
        return session

    def __init__(self, path, framework, version, rank, local_rank, world):
        self.alive = False
        self.path = path
        self.id = os.urandom(16).hex()
        self.pid = os.getpid()
        self.plan = Plan()
        self.run = ""
        self.worker = ""
        self.fills = False  # whether the agent copies out of this process when asked
        self.takes_marks = False  # whether the agent knows what marks are
        self.place = None  # where a resumed job goes on: {"step", "modes": {name: step}}
        self.ring = None
        self.buffer = None
        self._hello = {
            "t": "hello", "v": _wire.VERSION, "session": self.id, "pid": self.pid,
            "rank": int(rank), "local_rank": int(local_rank), "world": int(world),
            "framework": {"name": framework, "version": str(version)},
            "language": {"name": "python", "version": platform.python_version()},
            "script": script(), "takeover": False, "facts": False,
        }  # fmt: skip
        self._next_plan = None
        self._plan_message = None
        self._step_seconds = 0.0
        self._lock = threading.RLock()
        self._tensors = 0
        self._shapes = {}
        self._metrics = {}
        self._bad_metrics = set()
        self._defined = set()  # what was said of collections, as JSON
        self._joined = set()  # (collection, tensor)
        self._provenance = {}  # what this process is made of, as far as it was said
        self._batches = {}
        self._steps = {}
        self._captured_ns = 0
        self._seconds = 0.0
        self._said_bye = False
        self.once_ns = _boot.took_ns  # nanoseconds that the hook took before the first step: starting, finding the models, connecting
        self.before_bye = None  # function the hook sets: called once, before the session says bye
        self.trainer = None  # the thread that closes steps
        self.graph = None  # function that tells, in any thread, whether a model has returned what backward is still to come to
        self.windows = _windows.Windows(self)
        self._link = _connection.Link(path, self._make_hello, self._ring_fd, self._message, self._refused)

    def _open(self):
        welcome, fd = self._link.connect()
        try:
            self.ring = _ring.Ring(fd)
        except Exception:
            os.close(fd)
            self._link.close()
            raise
        self.run = welcome.get("run") or ""
        self.worker = welcome.get("worker") or ""
        self.place = welcome.get("place")
        self.fills = welcome.get("fills") is True
        self.takes_marks = welcome.get("marks") is True
        self.buffer = self.ring.buffer
        self._division = _layout.Division(self.ring)
        self._put = self.ring.put
        self.begins = self.ring.begins  # to be called when a step begins: what is given after a step belongs to it until then
        self.begins()
        self.alive = True
        _guard.reporter(self._tell, self._die)
        _fork.on_fork(self._before_fork, self._after_fork, self._forked)
        atexit.register(self.bye)
        _stacks.register()
        _worker_windows.close_listener()
        self._link.listen()
        self._message(welcome)
        self.provenance(_provenance.of_python())

    @_guard.guard
    def checkpoint(self, path, mtime_ns, size, step, modes):
        """Tell that a checkpoint was written: the file, and the steps (global, and one for each mode) that come next."""
        modes = {_wire.MODES[m]: n for m, n in enumerate(modes) if n or m < _wire.GLOBAL}
        self._link.send({"t": "checkpoint", "path": path, "mtime_ns": mtime_ns, "size": size, "step": step, "modes": modes})

    def _make_hello(self, takeover):
        hello = dict(self._hello, takeover=takeover)
        if loaded and not takeover:
            hello["loaded"] = loaded
        return hello

    def _ring_fd(self):
        return self.ring.fd

    @property
    def address(self):
        """Address of ``buffer`` in memory."""
        return self.ring.address()

    @property
    def dropped(self):
        """Values dropped so far, by reason (vigil._wire.REASONS gives the words)."""
        return dict(self.ring.dropped)

    @property
    def step_seconds(self):
        """Median length of a step, set by the hook; a tenth of it, at most 0.1 s, is the bounded wait."""
        return self._step_seconds

    @step_seconds.setter
    def step_seconds(self, seconds):
        self._step_seconds = seconds
        self.ring.patience = 0.0
        if seconds > 0:
            self.ring.wait = min(seconds / 10, 0.1)

    # What the agent says.

    def _message(self, message):
        # An agent that took over may count its plans again, and often has the same one.
        if message.get("t") == "plan" and message != self._plan_message:
            plan = Plan(message)
            self._plan_message = message
            self._next_plan = plan
        elif message.get("t") == "stand":
            _stacks.answer(self.path, message.get("ask"))
        elif message.get("t") == "window":
            self.windows.ask(message)
        elif message.get("t") == "welcome":
            for window in message.get("windows") or ():
                self.windows.ask(window)

    def train_steps(self):
        """How many TRAIN steps were closed, those before a resumption included; those of GLOBAL where a framework has no others."""
        mode = 0 if 0 in self._steps or _wire.GLOBAL not in self._steps else _wire.GLOBAL
        before = (self.place or {}).get("modes") or {}
        return int(before.get(_wire.MODES[mode], 0)) + self._steps.get(mode, 0)

    def new_plan(self):
        """The plan that came since the last call, already in force as ``plan``, or None.

        Call it between steps; it costs an attribute check. Layouts made under
        the old plan go on until they are released.
        """
        if self._next_plan is None:
            return None
        try:
            plan, self._next_plan = self._next_plan, None
            if plan.strict:
                _guard.strict = True
            self._division.set_use(plan.use)
            self.plan = plan
            return plan
        except Exception as error:
            _guard.failed("Session.new_plan", error)
            return None

    def _refused(self, reason, hint):
        """A later agent does not take us: go on without, and say so once."""
        was, self._said_bye = self._said_bye, True
        self._end()
        if not was and sys.stderr is not None:
            sys.stderr.write("vigil: nothing more is captured: %s%s\n" % (reason, "; " + hint if hint else ""))

    def _die(self):
        """Too many errors: say bye while it can be said, and be inert."""
        self._said_bye = True
        try:
            self._say_bye(None, None, 0.0)
        finally:
            self._end()

    def _end(self):
        global _current
        if _current is self:
            _current = None
        self.alive = False
        if self.ring is not None:
            self.ring.abandon()
        self._link.close()
        _guard.forget(self._tell)

    def _tell(self, text):
        """Carry an error of ours to the run."""
        if not self.alive:
            return False
        self._link.send({"t": "notice", "level": "warning", "text": text, "hint": ""})
        self._link.send({"t": "missing", "missing": [{"name": "*", "reason": text, "count": 1}]})
        return True

    def _before_fork(self):
        """A fork finds no thread of ours: Python 3.12 warns of threads, and a warning may be an error."""
        if not self.alive:
            return
        self.windows.thread.pause()
        self._link.pause()

    def _after_fork(self):
        self._link.resume()
        self.windows.thread.resume()

    def _forked(self):
        global _current
        if _current is self:
            _current = None
        self.alive = False
        self._said_bye = True
        _guard.forget(self._tell)
        self._lock = threading.RLock()
        if self.ring is not None:
            self.ring.lock = threading.RLock()
            self.ring.abandon()
        self._link.forked()

    # The end.

    @_guard.guard
    def bye(self, steps=None, overhead=None):
        """The hook closes. The counts are the session's own unless given (steps by mode name;
        overhead with captured_seconds and step_seconds). Called at the process's exit by itself."""
        if self._said_bye:
            return
        self._said_bye = True
        if not self.alive:
            return
        began = time.perf_counter_ns()
        try:
            _guard.guard(self.windows.end)()
            if self.before_bye is not None:
                _guard.guard(self.before_bye)()
            _guard.guard(self._say_traceback)()
            self.once_ns += time.perf_counter_ns() - began
            self._say_bye(steps, overhead, BYE_SECONDS)
        finally:
            self._end()

    def _say_traceback(self):
        """The exception that ends this process, if one does."""
        text = _ending.traceback_text()
        if text:
            self._link.send({"t": "traceback", "error": type(_ending.error()).__name__, "text": text})

    def _say_bye(self, steps, overhead, wait_s):
        if steps is None:
            steps = {_wire.MODES[m]: n for m, n in self._steps.items()}
        if overhead is None:
            overhead = {"captured_seconds": self._captured_ns / 1e9, "step_seconds": self._seconds, "once_seconds": self.once_ns / 1e9}
        dropped = {_wire.REASONS[r]: n for r, n in self.ring.dropped.items()}
        self.ring.alive()
        self.ring.ended()
        self._link.send({"t": "bye", "steps": steps, "overhead": overhead, "dropped": dropped})
        self._link.close(wait_s)


def script():
    """What is being run: the script's path, or "-m" and the module's name."""
    argv = getattr(sys, "argv", None) or [""]
    if argv[0] in ("-c", ""):
        return argv[0]
    main = sys.modules.get("__main__")
    spec = getattr(main, "__spec__", None)
    if spec is not None and spec.name:
        return "-m " + (spec.name[: -len(".__main__")] if spec.name.endswith(".__main__") else spec.name)
    return os.path.abspath(argv[0])


def current():
    """This process's session, or None."""
    return _current
