"""An agent for tests of the hooks: plans what is announced, and keeps what comes by step.

It runs in the test; the training runs in a child process with the real boot
file, session and ring.
"""

import ctypes
import os
import re
import struct
import subprocess
import sys
import threading
import time

import fakeagent
import message_types

from vigil import _wire

PYTHON = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(PYTHON)
SCRIPTS = os.path.join(ROOT, "e2e", "scripts")
_libc = ctypes.CDLL(None, use_errno=True)
_FORMATS = {"F32": "f", "F64": "d", "I64": "q", "U8": "B", "BOOL": "?"}

EVERY_STEP = {"TRAIN": {"every": 1}, "EVAL": {"every": 1}, "PREDICT": {"every": 1}, "GLOBAL": {"every": 1}}
OFF = {"off": True}
NEVER = {"TRAIN": OFF, "EVAL": OFF, "PREDICT": OFF, "GLOBAL": OFF}
TRAIN_ONLY = {"TRAIN": {"every": 1}, "EVAL": OFF, "PREDICT": OFF, "GLOBAL": OFF}


class Step(object):
    """What one step of one session left."""

    def __init__(self, number, mode, mode_step):
        self.number = number
        self.mode = mode
        self.mode_step = mode_step
        self.scalars = {}
        self.tensors = {}  # name -> bytes
        self.places = {}  # name -> where in the data area it lay, of what came by itself
        self.dtypes = {}
        self.reduced = {}  # name -> (numbers of its rows, histogram), of statistics that the hook computed
        self.repeated = []  # names that came more than once
        self.seconds = None  # None: not closed
        self.own_ns = 0
        self.skipped = False

    def values(self, name, format="f"):
        data = self.tensors[name]
        return struct.unpack("<%d%s" % (len(data) // struct.calcsize(format), format), data)


class Collector(fakeagent.FakeAgent):
    """Plans every tensor on ``schedule`` and modules as asked; ``runs`` is what each session left.

    named: list of (pattern, schedule, or None for never) for tensors whose name
    it is found in; the first that fits holds. values: patterns of the tensors
    of which more than statistics is wanted; None: the plan does not say.
    fills: True says that frames are filled on request, and does; "never" says so and does not; "fails" says of each that it could not.
    """

    def __init__(self, path, schedule=None, modules=(), slots=1 << 14, data=64 << 20, budget=0.02, ids=True, named=(), values=None, fills=None):
        self.schedule = schedule or TRAIN_ONLY
        self.modules = [list(m) for m in modules]
        self.budget = budget
        self.ids = ids
        self.named = [(re.compile(pattern), schedule) for pattern, schedule in named]
        self.values = values
        self.fills = fills
        self.runs = []
        self.idle = []  # what was seen in processes that were not seen to train
        self.errors = []  # the class of the exception that ended each of them, or None
        self.by_conn = {}
        self.lock = threading.RLock()
        self.stopped = False
        super().__init__(path, slots=slots, data=data)
        threading.Thread(target=self._read_rings, daemon=True).start()

    def _serve(self, conn):
        run = None
        try:
            hello, fds = fakeagent.receive(conn)
            if hello.get("t") == "control":  # a process that was not seen to train says so at its end
                self.errors.append(hello.get("error"))
                self.idle.append(hello["reason"])
                fakeagent.send(conn, {"t": "control", "ok": True})
                conn.close()
                return
            fd = fakeagent.make_ring(self.slots, self.data)
            run = Run(hello, fakeagent.Reader(fd), self.fills)
            run.ring.words[_wire.W_AGENT] = os.getpid()
            with self.lock:
                self.runs.append(run)
                fakeagent.send(conn, dict(self._welcome(os.fstat(fd).st_size), fills=self.fills is not None, marks=True), fd)
            version = 0
            while True:
                message, _ = fakeagent.receive(conn)
                with self.lock:
                    run.take(message)
                    if message["t"] == "tensors":
                        version += 1
                        try:
                            fakeagent.send(conn, self._plan(run, version))
                        except OSError:
                            pass  # it has hung up; what it said before that is still to be read
                        run.ring.words[_wire.W_PLAN] = version
        except (OSError, ValueError):
            return
        finally:
            if run is not None:
                run.over = True

    def _plan(self, run, version):
        schedules = [self.schedule, EVERY_STEP] + [s or NEVER for _, s in self.named]
        plan = {
            "t": "plan", "version": version, "budget": self.budget, "ring": {"use": self.data}, "schedules": schedules,
            "tensors": [[i, self._schedule(t)] for i, t in run.infos.items() if self._planned(t)] if self.ids else [],
            "modules": self.modules, "losses": True, "strict": False,
        }  # fmt: skip
        if self.values is not None:
            plan["values"] = [pair for pair in plan["tensors"] if any(re.search(v, run.infos[pair[0]]["name"]) for v in self.values)]
        return plan

    def _planned(self, info):
        return info["kind"] not in ("input", "output", "label", "prediction") or self._schedule(info) > 0

    def _schedule(self, info):
        for i, (pattern, schedule) in enumerate(self.named):
            if pattern.search(info["name"]):
                return i + 2 if schedule is not None else -1
        return 0

    def _read_rings(self):
        while not self.stopped:
            self.drain()
            time.sleep(0.002)

    def drain(self):
        with self.lock:
            for run in self.runs:
                run.read()

    def die(self):
        """Vanish; raises where something that was sent does not fit its type."""
        self.stopped = True
        super().die()
        with self.lock:
            said = [m for run in self.runs for m in [run.hello] + run.messages]
        message_types.check(said)


class Run(object):
    """One session: messages, announced tensors, and steps in the order of their first record."""

    def __init__(self, hello, ring, fills=None):
        self.hello = hello
        self.fills = fills
        self.ring = ring
        self.messages = []
        self.infos = {}
        self.layouts = {}
        self.steps = []
        self.open = {}
        self.free = []
        self.between = []  # (name, mode, mode step, data) of tensors that came between steps
        self.together = []  # numbers that came in one record
        self.dropped = []
        self.shapes = {}
        self.raw = []
        self.marks = []  # (data, whether they are the last) of each record of them
        self.backlog = []
        self.over = False  # its connection has been read to the end

    def take(self, message):
        self.messages.append(message)
        if message["t"] == "tensors":
            for t in message["tensors"]:
                self.infos[t["id"]] = t
        elif message["t"] == "layout":
            self.layouts[message["id"]] = message
        elif message["t"] == "shapes":
            for s in message["shapes"]:
                self.shapes[s["id"]] = s["shape"]

    def read(self):
        self.backlog.extend(self.ring.read())
        while self.backlog:
            r, data = self.backlog[0]
            kind, mode, dtype, flags, id = r[:5]
            known = id in self.layouts if kind in (_wire.FRAME, _wire.FILL) else id in self.infos
            if not known and kind not in (_wire.STEP, _wire.DROP, _wire.REDUCED, _wire.MARKS):
                return  # its announcement is still in the socket
            self.backlog.pop(0)
            self._record(r, data)

    def _fill(self, r):
        """Copy what a FILL record asks for out of the hook's process."""
        ring, entries, offset = self.ring, self.layouts[r[4]]["entries"], r[7]
        done = r[12]  # in a short run the number of the record plus one
        if self.fills == "fails":
            ring.words[_wire.W_UNFILLED] = done
        else:
            places = struct.unpack_from("<%dQ" % len(entries), ring.map, ring.data + offset)
            start = ctypes.addressof(ctypes.c_char.from_buffer(ring.map)) + ring.data + offset
            for e, place in zip(entries, places):
                mine, theirs = (ctypes.c_size_t * 2)(start + e["offset"], e["nbytes"]), (ctypes.c_size_t * 2)(place, e["nbytes"])
                n = _libc.process_vm_readv(self.hello["pid"], mine, 1, theirs, 1, 0)
                assert n == e["nbytes"], "%d of %d bytes at %d: errno %d" % (n, e["nbytes"], place, ctypes.get_errno())
        ring.words[_wire.W_FILLED] = done

    def _record(self, r, data):
        kind, mode, dtype, flags, id, number, mode_step, offset, nbytes, value = r[:10]
        if kind == _wire.FILL:
            if self.fills != "never":
                self._fill(r)
            return
        if kind == _wire.MARKS:
            self.marks.append((data, bool(flags & _wire.FINAL)))
            return
        if kind == _wire.SCALARS:
            numbers = {self.infos[id + i]["name"]: v for i, v in enumerate(struct.unpack("<%dd" % (nbytes // 8), data))}
            self.together.append(numbers)
        else:
            numbers = {self.infos[id]["name"]: value} if kind == _wire.SCALAR else {}
        if numbers and flags & _wire.FREE:
            self.free += [(name, number, mode, v) for name, v in numbers.items()]
            return
        key = (number, mode)
        if kind in (_wire.TENSOR, _wire.PIECE) and flags & _wire.BETWEEN:
            name = self.infos[id]["name"]
            assert any((s.number, s.mode, s.mode_step, s.seconds is not None) == (number, mode, mode_step, True) for s in self.steps) or number == 0
            begun = self.between.pop()[3] if kind == _wire.PIECE and value else b""
            self.between.append((name, mode, mode_step, begun + data))
            if kind == _wire.TENSOR and flags & 1:
                self.raw.append(name)
            return
        step = self.open.get(key)
        if step is None:
            assert all(s.number != number for s in self.steps), "step %d comes again" % number
            assert all(s.number <= number for s in self.steps), "step %d runs backwards" % number
            step = self.open[key] = Step(number, mode, mode_step)
            self.steps.append(step)
        assert step.seconds is None, "a record of step %d after its end" % number
        assert step.mode_step == mode_step
        step.scalars.update(numbers)
        if kind == _wire.STEP:
            step.seconds, step.own_ns, step.skipped = value, nbytes, bool(flags & 1)
        elif kind == _wire.FRAME:
            layout = self.layouts[id]
            present = data[layout["bytes"] :] if flags & 1 else None
            for i, e in enumerate(layout["entries"]):
                if present is None or present[i]:
                    self._tensor(step, e["tensor"], data[e["offset"] : e["offset"] + e["nbytes"]])
        elif kind == _wire.TENSOR:
            self._tensor(step, id, data)
            step.places[self.infos[id]["name"]] = r[7]
            if flags & 1:
                self.raw.append(self.infos[id]["name"])
        elif kind == _wire.PIECE:
            name = self.infos[id]["name"]
            step.tensors[name] = step.tensors.get(name, b"") + data
        elif kind == _wire.REDUCED:
            self._reduced(step, id, data)
        elif kind == _wire.DROP:
            self.dropped.append((number, id, nbytes, r[11]))

    def _reduced(self, step, count, data):
        heads = [struct.unpack_from("<II", data, 8 * i) for i in range(count)]
        at, counts = 8 * count, len(data) - count * 4 * 554
        for i, (id, rows) in enumerate(heads):
            numbers = [struct.unpack_from("<9d", data, at + 72 * k) for k in range(rows)]
            at += 72 * rows
            step.reduced[self.infos[id]["name"]] = numbers, struct.unpack_from("<554I", data, counts + i * 4 * 554)
        assert at == counts

    def _tensor(self, step, id, data):
        name = self.infos[id]["name"]
        if name in step.tensors:
            step.repeated.append(name)
        step.tensors[name] = data

    def of(self, kind):
        return [m for m in self.messages if m["t"] == kind]

    def mode(self, number):
        return [s for s in self.steps if s.mode == number]

    def series(self, name, mode=0):
        return [s.scalars.get(name) for s in self.mode(mode)]

    def names(self, kind=None):
        return [t["name"] for t in self.infos.values() if kind is None or t["kind"] == kind]

    def info(self, name):
        return next(t for t in self.infos.values() if t["name"] == name)

    @property
    def said(self):
        lines = [m["said"] for m in self.of("facts")]
        return lines[-1] if lines else None

    @property
    def facts(self):
        return self.of("facts")[-1]["facts"]

    @property
    def missing(self):
        return [e for m in self.of("missing") for e in m["missing"]]

    @property
    def notices(self):
        return self.of("notice")


def environment(**extra):
    env = {k: v for k, v in os.environ.items() if (not k.startswith("VIGIL") or k == "VIGIL_MIN_FREE") and k not in ("PYTHONPATH", "RANK", "WORLD_SIZE", "LOCAL_RANK")}
    env["PYTHONPATH"] = os.pathsep.join([os.path.join(PYTHON, "boot"), PYTHON])
    env["OMP_NUM_THREADS"] = "1"
    env.update(extra)
    return env


def train(argv, env=None, check=True, timeout=180, input=None):
    """Run a training in a child; its CompletedProcess."""
    command = [sys.executable] + list(argv)
    done = subprocess.run(command, env=env or environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, input=input, universal_newlines=True)
    if check and done.returncode != 0:
        raise AssertionError("%s: exit %d\n%s\n%s" % (" ".join(argv), done.returncode, done.stdout, done.stderr))
    return done
