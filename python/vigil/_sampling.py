"""What windows of detail are made of: samples of stacks, and the thread that takes them.

The thread sees the others only when it gets the interpreter's lock, so each
sample counts as long as the time since the one before. It takes no lock that
training may hold, keeps no frame from one sample to the next, and ends with the
window.
"""

import opcode
import os
import sys
import threading
import time

from vigil import _callee, _guard, _stacks

INTERVAL_NS = 10 * 1000 * 1000
SWITCH = 0.0005  # seconds: a thread that keeps the interpreter's lock gives way to a sample after that, so that Python code is seen where it is, and not at the next call that lets go of the lock
SLOWEST_NS = 1280 * 1000 * 1000
COST = 0.005  # share of the time that a sample may cost
SMOOTH = 8  # samples whose cost is looked at together
MOST_SECONDS = 600.0  # of one window
MOST_STACKS = 20000  # different ones of a window; a further one is noted without its callers
CALLED = 0.005  # share of the time from which on it is looked what function without a frame a stack ends in
PAUSE_SECONDS = 0.2  # how long a fork waits for a thread of ours to end


class Samples(object):
    """What was seen of the threads of one process, added up by stack."""

    def __init__(self, interval_ns=INTERVAL_NS):
        self.interval_ns = interval_ns
        self.stacks = {}  # (thread, graph, id of code, instruction, id of code, instruction, ...) -> [nanoseconds, samples, [(code, line), ...]]
        self.names = {}  # thread -> name
        self.samples = 0
        self.total_ns = 0
        self.cost_ns = 0
        self.slowed_at = 0

    def take(self, idents, weight_ns, graph=False):
        """One sample of the threads; weight_ns: the time since the one before; graph: a model has returned what backward is still to come to."""
        began = time.thread_time_ns()
        current = sys._current_frames()
        frame = inner = None
        try:
            for ident in idents:
                frame = inner = current.get(ident)
                if frame is None:
                    continue
                key = [ident, graph]
                add, left = key.append, _stacks.MOST_FRAMES
                while frame is not None and left:
                    add(id(frame.f_code))
                    add(frame.f_lasti)
                    frame = frame.f_back
                    left -= 1
                key = tuple(key)
                seen = self.stacks.get(key)
                if seen is None:
                    if len(self.stacks) >= MOST_STACKS:
                        key = key[:4]
                    seen = self.stacks.setdefault(key, [0, 0, _places(inner, len(key) // 2 - 1)])  # it keeps the code objects, so an id stays its own
                seen[0] += weight_ns
                seen[1] += 1
        finally:
            frame = inner = None
            current.clear()
        self.samples += 1
        self.total_ns += weight_ns
        self.cost_ns += time.thread_time_ns() - began
        if self.samples - self.slowed_at >= SMOOTH:
            if self.cost_ns > COST * SMOOTH * self.interval_ns:
                self.interval_ns = min(2 * self.interval_ns, SLOWEST_NS)
            self.cost_ns, self.slowed_at = 0, self.samples

    def plain(self, kind, title):
        """As it travels: frames are listed once, and stacks name them by their places, the innermost first."""
        frames, places, stacks, callees = [], {}, {}, _callee.Callees()
        for key, (ns, count, calls) in self.stacks.items():
            chain = []
            for code, line in calls:
                place = (id(code), line)
                at = places.get(place)
                if at is None:
                    at = places[place] = len(frames)
                    frames.append([code.co_filename, line, _stacks.name(code)])
                chain.append(at)
            call = callees.of(calls[0][0], key[3]) if ns > CALLED * self.total_ns else ""
            whole = stacks.setdefault((self.names.get(key[0], ""), tuple(chain), call, int(key[1])), [0, 0, 0])  # instructions of one line are one
            whole[0] += ns
            whole[1] += count
            if _runs_python(calls[0][0], key[3]):
                whole[2] += ns
        stacks = [[thread, list(chain)] + numbers + [call, graph] for (thread, chain, call, graph), numbers in stacks.items()]
        return {"pid": os.getpid(), "kind": kind, "name": title, "samples": self.samples, "ns": self.total_ns, "interval_ns": self.interval_ns, "frames": frames, "stacks": stacks}  # fmt: skip


def _runs_python(code, instruction):
    """Whether the interpreter itself was at work, and not a function written in C: it gives others a turn at jumps and when a function begins."""
    try:
        name = opcode.opname[code.co_code[instruction]]
    except IndexError:
        return False
    return "JUMP" in name or name.startswith("RESUME")


def _places(frame, most):
    """(code, line) of a frame and its callers, the innermost first."""
    found = []
    while frame is not None and len(found) < most:
        found.append((frame.f_code, frame.f_lineno or 0))
        frame = frame.f_back
    return found


class Bell(object):
    """Wakes a thread that waits. An Event does the same with more work at each wait."""

    def __init__(self):
        self.lock = threading.Lock()
        self.lock.acquire()

    def wait(self, seconds):
        """Until it rings, or so long."""
        self.lock.acquire(True, seconds)

    def ring(self):
        try:
            self.lock.release()
        except RuntimeError:
            pass  # it has rung already


class Switching(object):
    """While it is entered, threads give way to others sooner."""

    def __enter__(self):
        self.before = sys.getswitchinterval()
        self.ours = min(self.before, SWITCH)
        sys.setswitchinterval(self.ours)
        self.ours = sys.getswitchinterval()

    def __exit__(self, *_):
        if sys.getswitchinterval() == self.ours:  # else the script has set another one
            sys.setswitchinterval(self.before)


class Thread(object):
    """A thread of ours that a fork pauses: before a fork it ends, and in the parent it goes on."""

    def __init__(self, body):
        self.body = body  # body(): returns at the end, or soon after stopping() is true
        self.woken = Bell()
        self.pausing = False
        self.stopped = False
        self.finished = False
        self.thread = None

    def stopping(self):
        return self.pausing or self.stopped

    def start(self):
        self.pausing = False
        self.thread = threading.Thread(target=self._run, name="vigil", daemon=True)
        try:
            self.thread.start()
        except RuntimeError:
            self.thread = None  # the interpreter is shutting down

    def _run(self):
        # A script that traces its threads traces its own.
        sys.settrace(None)
        sys.setprofile(None)
        try:
            self.body()
        except Exception as error:
            self.stopped = True
            _guard.background("a window of detail", error)
        if not self.pausing or self.stopped:
            self.finished = True

    def wake(self):
        self.woken.ring()

    def _join(self, seconds):
        thread = self.thread
        if thread is None or thread is threading.current_thread():
            return True
        self.wake()
        thread.join(seconds)
        return not thread.is_alive()

    def pause(self):
        """Before a fork."""
        if self.thread is not None and not self.finished:
            self.pausing = True
            self._join(PAUSE_SECONDS)

    def resume(self):
        """After it, in the parent."""
        if not self.pausing:
            return
        self.pausing = False
        if self.thread is not None and self.thread.is_alive():
            return  # it has not looked
        if not self.finished and not self.stopped:
            self.start()

    def stop(self, seconds):
        self.stopped = True
        return self._join(seconds)
