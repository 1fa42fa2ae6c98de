"""One training process's connection to the agent."""

import atexit
import os
import platform
import sys
import threading

from vigil import _fork, _guard, _layout, _link, _ring, _wire
from vigil._plan import Plan

_CHUNK = 2000  # tensors or modules per message
_current = None  # this process's session


class Session(object):
    """What a hook holds: the plan, the ring to publish in, and the socket.

    No method raises (strict mode excepted) and none waits longer than its
    bounded wait. ``alive`` is False once the session is of no further use: the
    agent refused, the process forked, or too many errors came.

    Attributes a hook reads: ``alive``, ``plan`` (vigil._plan.Plan in force),
    ``run`` (path), ``worker`` (name), ``buffer`` (writable memoryview of the
    data area, which offsets index), ``address`` (its address in memory).
    It may set ``before_bye``. alloc and what is copied there belong to one thread between two layouts.
    """

    @classmethod
    def connect(cls, framework, version, rank=0, local_rank=0, world=1, start=False, dir=None, name=None):
        """Connect to the agent that VIGIL_SOCKET names; with ``start``, start one when there is none.

        None when there is nothing to connect to: the hook is inert then. A
        session that vigil.log opened in this process before ends.
        """
        try:
            return cls._connect(framework, version, rank, local_rank, world, start, dir, name)
        except Exception as error:
            _guard.failed("Session.connect", error)
            return None

    @classmethod
    def _connect(cls, framework, version, rank, local_rank, world, start, dir, name):
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
        try:
            session._open()
        except _link.Refused as refused:
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
        self.ring = None
        self.buffer = None
        self._hello = {
            "t": "hello", "v": _wire.VERSION, "session": self.id, "pid": self.pid,
            "rank": int(rank), "local_rank": int(local_rank), "world": int(world),
            "framework": {"name": framework, "version": str(version)},
            "language": {"name": "python", "version": platform.python_version()},
            "script": script(), "takeover": False,
        }  # fmt: skip
        self._next_plan = None
        self._plan_message = None
        self._step_seconds = 0.0
        self._lock = threading.RLock()
        self._tensors = 0
        self._shapes = {}
        self._metrics = {}
        self._bad_metrics = set()
        self._steps = {}
        self._captured_ns = 0
        self._seconds = 0.0
        self._said_bye = False
        self._touching = []  # threads that prefault
        self.before_bye = None  # function the hook sets: called once, before the session says bye
        self._link = _link.Link(path, self._make_hello, self._ring_fd, self._message, self._refused)

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
        self.buffer = self.ring.buffer
        self._division = _layout.Division(self.ring)
        self._put = self.ring.put
        self.alive = True
        _guard.reporter(self._tell, self._die)
        _fork.on_fork(self._before_fork, self._after_fork, self._forked)
        atexit.register(self.bye)
        self._link.listen()

    def _make_hello(self, takeover):
        return dict(self._hello, takeover=takeover)

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
        if seconds > 0:
            self.ring.wait = min(seconds / 10, 0.1)

    # What the agent says.

    def _message(self, message):
        # An agent that took over may count its plans anew, and often has the same one.
        if message.get("t") == "plan" and message != self._plan_message:
            plan = Plan(message)
            self._plan_message = message
            self._next_plan = plan

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
        """A later agent does not take us: go on without."""
        self._end()

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

    # What the hook says.

    @_guard.guard
    def announce_modules(self, root, modules):
        """The module tree. root: class name of the root; modules: list of (path, type, order)."""
        if not self.alive:
            return
        items = [{"path": str(m[0]), "type": str(m[1]), "order": int(m[2])} for m in modules]
        for i in range(0, max(len(items), 1), _CHUNK):
            self._link.send({"t": "modules", "root": root, "modules": items[i : i + _CHUNK]}, keep=True)

    @_guard.guard
    def announce_tensors(self, infos):
        """Give every tensor (a dict: name, kind, dtype, shape, module, ...) an id, and tell the agent.

        Returns the ids, in order; None for those beyond the limit of a session.
        """
        if not self.alive:
            return [None] * len(infos)
        items, ids, over, cut = [], [], 0, 0
        with self._lock:
            for info in infos:
                if self._tensors >= _wire.MAX_TENSORS:
                    over += 1
                    ids.append(None)
                    continue
                item = {k: v for k, v in info.items() if v is not None}
                item["id"] = self._tensors
                item["name"], was_cut = _wire.cut_name(str(info.get("name", "")))
                cut += was_cut
                if "shape" in item:
                    item["shape"] = [int(n) for n in item["shape"]]
                ids.append(self._tensors)
                self._tensors += 1
                items.append(item)
            for i in range(0, len(items), _CHUNK):
                self._link.send({"t": "tensors", "tensors": items[i : i + _CHUNK]}, keep=True)
        if over:
            self.missing([("*", "more than %d tensors in one process" % _wire.MAX_TENSORS, over)])
        if cut:
            self.missing([("*", "name longer than %d bytes, cut" % _wire.MAX_NAME, cut)])
        return ids

    def shape_id(self, shape):
        """The id of a shape, to go with a record whose shape is not the announced one. 0 when there is none to have."""
        key = tuple(shape)
        found = self._shapes.get(key)
        if found is not None:
            return found
        return self._new_shape(key) or 0

    @_guard.guard
    def _new_shape(self, key):
        with self._lock:
            if not self.alive or len(self._shapes) >= _wire.MAX_SHAPES - 1:
                return 0
            key = tuple(int(n) for n in key)
            number = self._shapes.setdefault(key, len(self._shapes) + 1)
            self._link.send({"t": "shapes", "shapes": [{"id": number, "shape": list(key)}]}, keep=True)
            return number

    @_guard.guard
    def facts(self, facts, said):
        """What was understood of the training: an object for machines and one line for people."""
        if self.alive:
            self._link.send({"t": "facts", "facts": facts, "said": said}, key="facts")

    @_guard.guard
    def missing(self, entries):
        """What is not captured: (name, reason, count), counted since the last call."""
        items = [{"name": _wire.cut_name(str(n))[0], "reason": str(r), "count": int(c)} for n, r, c in entries]
        if items and self.alive:
            self._link.send({"t": "missing", "missing": items})

    @_guard.guard
    def notice(self, level, text, hint=""):
        """A line for the user; level info, warning or error."""
        if self.alive:
            self._link.send({"t": "notice", "level": level, "text": text, "hint": hint})

    @_guard.guard
    def collection(self, **fields):
        """A collection that the script defines: name, regex, names, every, start, end, steps, mode, raw, hist."""
        message = {k: v for k, v in fields.items() if v is not None}
        for k in ("regex", "names"):
            if isinstance(message.get(k), str):
                message[k] = [message[k]]
        message["t"] = "collection"
        if self.alive:
            self._link.send(message, key="collection " + str(fields.get("name")))

    # Values.

    def scalar(self, id, step, mode, mode_step, value, free=False):
        """Publish one number. True when there was room."""
        try:
            return self._put(1, mode, 0, 1 if free else 0, id, step, mode_step, 0, 0, value, 0) is not None
        except Exception as error:
            _guard.failed("Session.scalar", error)
            return False

    def step(self, step, mode, mode_step, seconds, overhead_ns, skipped=False):
        """Close a step: its length in seconds and the nanoseconds of it that the hook took."""
        try:
            if os.getpid() != self.pid:  # forked behind Python's back
                self._forked()
                return False
            self._steps[mode] = self._steps.get(mode, 0) + 1
            self._seconds += seconds
            self._captured_ns += overhead_ns
            put = self._put(5, mode, 0, 1 if skipped else 0, 0, step, mode_step, 0, int(overhead_ns), seconds, 0)
            if not put:  # None, or record 0
                return put is not None
            if not put & 15:
                self.ring.alive()
            return True
        except Exception as error:
            _guard.failed("Session.step", error)
            return False

    def layout(self, entries):
        """The Layout of a frame holding entries [(tensor id, bytes)]; release the layouts it replaces before.

        None when not even one frame fits: then use alloc and tensor, or big.
        """
        try:
            if not self.alive:
                return None
            layout = self._division.layout(entries)
            if layout is None:
                return None
            items = [{"tensor": e[0], "offset": o, "nbytes": e[1]} for e, o in zip(layout.entries, layout.offsets)]
            self._link.send({"t": "layout", "id": layout.id, "bytes": layout.bytes, "entries": items}, keep=True)
            self._prefault(layout.start, layout.end - layout.start)
            return layout
        except Exception as error:
            _guard.failed("Session.layout", error)
            return None

    def _prefault(self, start, nbytes):
        ring = self.ring

        def touch():
            try:
                ring.prefault(start, nbytes)
            except Exception:
                pass  # the first copies are slower then

        thread = threading.Thread(target=_guard.guard(touch), name="vigil-prefault", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            return  # the interpreter is shutting down
        self._touching = [t for t in self._touching if t.is_alive()] + [thread]

    def _before_fork(self):
        """A fork finds no thread of ours: Python 3.12 warns of threads, and a warning may be an error."""
        if not self.alive:
            return
        self._link.pause()
        self.ring.hurry = True
        touching, self._touching = self._touching, []
        for thread in touching:
            thread.join(_link.PAUSE_SECONDS)

    def _after_fork(self):
        if self.ring is not None:
            self.ring.hurry = False
        self._link.resume()

    def alloc(self, nbytes, wait_s=None):
        """Offset of nbytes in the free area, or None after the bounded wait. Follow with tensor(...) or free(offset)."""
        try:
            return self._division.area.alloc(nbytes, wait_s)
        except Exception as error:
            _guard.failed("Session.alloc", error)
            return None

    def free(self, offset):
        """Give back what alloc gave and will not be published."""
        try:
            self._division.area.publish(offset, None)
        except Exception as error:
            _guard.failed("Session.free", error)

    @property
    def area_bytes(self):
        """Size of the free area; a larger tensor goes with big(...)."""
        return self._division.area.bytes

    def tensor(self, id, dtype, shape, offset, nbytes, step, mode, mode_step, force_raw=False):
        """Publish the nbytes that were copied to offset. dtype: code of the element type; shape: id, 0 for the announced one."""
        try:
            n = self._put(2, mode, dtype, 1 if force_raw else 0, id, step, mode_step, offset, nbytes, 0.0, shape)
            self._division.area.publish(offset, n)
            return n is not None
        except Exception as error:
            _guard.failed("Session.tensor", error)
            return False

    def big(self, id, dtype, shape, nbytes, copy, step, mode, mode_step, force_raw=False, wait_s=None):
        """Publish a tensor larger than the free area, in pieces.

        copy(offset, start, n) copies the tensor's bytes start..start+n to
        buffer[offset:]. True when all pieces went; a part of a tensor is dropped.
        """
        try:
            area = self._division.area
            most = max((area.bytes // 4) & -4096, 64)
            start = 0
            while start < nbytes:
                n = min(most, nbytes - start)
                offset = area.alloc(n, wait_s)
                if offset is None:
                    self.drop(id, 1, _wire.TOO_LARGE if area.bytes < n else _wire.FULL, step, mode, mode_step)
                    return False
                try:
                    copy(offset, start, n)
                except BaseException:
                    area.publish(offset, None)
                    raise
                flags = (1 if start + n == nbytes else 0) | (2 if force_raw else 0)
                number = self._put(4, mode, dtype, flags, id, step, mode_step, offset, n, float(start), shape)
                area.publish(offset, number)
                if number is None:
                    self.drop(id, 1, _wire.FULL, step, mode, mode_step)
                    return False
                start += n
            return True
        except Exception as error:
            _guard.failed("Session.big", error)
            return False

    def drop(self, id, n, reason, step, mode, mode_step):
        """Say that n values of tensor or layout id were not captured at this step; reason as in vigil._wire."""
        try:
            if not self.alive:
                return
            self.ring.count(reason, n)
            self._put(6, mode, 0, 0, id, step, mode_step, 0, n, 0.0, reason)
        except Exception as error:
            _guard.failed("Session.drop", error)

    @_guard.guard
    def metrics(self, values, step, mode, mode_step, free=False):
        """Publish numbers by name, announcing new names; what is no number is reported as missing, once."""
        if not self.alive:
            return
        known = self._metrics
        for name, value in values.items():
            try:
                number = to_number(value)
            except Exception:
                if name not in self._bad_metrics:
                    self._bad_metrics.add(name)
                    self.missing([(name, "logged value of type %s is not a number" % type(value).__name__, 1)])
                continue
            id = known.get(name)
            if id is None:
                info = {"name": str(name), "kind": "scalar", "dtype": "F64", "shape": []}
                id = known[name] = (self.announce_tensors([info]) or [None])[0]
            if id is not None:
                self.scalar(id, step, mode, mode_step, number, free)

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
        try:
            if self.before_bye is not None:
                _guard.guard(self.before_bye)()
            self._say_bye(steps, overhead, 1.0)
        finally:
            self._end()

    def _say_bye(self, steps, overhead, wait_s):
        if steps is None:
            steps = {_wire.MODES[m]: n for m, n in self._steps.items()}
        if overhead is None:
            overhead = {"captured_seconds": self._captured_ns / 1e9, "step_seconds": self._seconds}
        dropped = {_wire.REASONS[r]: n for r, n in self.ring.dropped.items()}
        self.ring.alive()
        self._link.send({"t": "bye", "steps": steps, "overhead": overhead, "dropped": dropped})
        self._link.close(wait_s)


def to_number(value):
    """The float of a number, or of anything that holds one element (a tensor, a numpy scalar)."""
    if isinstance(value, (int, float)):
        return float(value)
    item = getattr(value, "item", None)
    return float(item() if callable(item) else value)


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
