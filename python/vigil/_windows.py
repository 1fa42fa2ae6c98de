"""Windows of detail: for a while a thread notes, every 10 ms, where the training stands.

The thread sees the others only when it gets the interpreter's lock, so each
sample counts as long as the time since the one before. It takes no lock that
training may hold, keeps no frame from one sample to the next, and ends with the
window. Loader workers have no session: a thread of theirs waits on a socket, and
the process that trains asks it.
"""

import json
import opcode
import os
import select
import socket
import struct
import sys
import threading
import time

from vigil import _fork, _guard, _stacks

INTERVAL_NS = 10 * 1000 * 1000
SWITCH = 0.0005  # seconds: a thread that keeps the interpreter's lock gives way to a sample after that, so that Python code is seen where it is, and not at the next call that lets go of the lock
SLOWEST_NS = 1280 * 1000 * 1000
COST = 0.005  # share of the time that a sample may cost
SMOOTH = 8  # samples whose cost is looked at together
MOST_SECONDS = 600.0  # of one window
MOST_STACKS = 20000  # different ones of a window; a further one is noted without its callers
MOST_WORKERS = 8  # loader workers that are sampled
GATHER_SECONDS = 2.0  # how long what they noted is waited for
PAUSE_SECONDS = 0.2  # how long a fork waits for a thread of ours to end


class Samples(object):
    """What was seen of the threads of one process, added up by stack."""

    def __init__(self, interval_ns=INTERVAL_NS):
        self.interval_ns = interval_ns
        self.stacks = {}  # (thread, id of code, instruction, id of code, instruction, ...) -> [nanoseconds, samples, [(code, line), ...]]
        self.names = {}  # thread -> name
        self.samples = 0
        self.total_ns = 0
        self.cost_ns = 0
        self.slowed_at = 0

    def take(self, idents, weight_ns):
        """One sample of the threads; weight_ns: the time since the one before."""
        began = time.thread_time_ns()
        current = sys._current_frames()
        frame = inner = None
        try:
            for ident in idents:
                frame = inner = current.get(ident)
                if frame is None:
                    continue
                key = [ident]
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
                        key = key[:3]
                    seen = self.stacks.setdefault(key, [0, 0, _places(inner, len(key) // 2)])  # it keeps the code objects, so an id stays its own
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
        frames, places, stacks = [], {}, {}
        for key, (ns, count, calls) in self.stacks.items():
            chain = []
            for code, line in calls:
                place = (id(code), line)
                at = places.get(place)
                if at is None:
                    at = places[place] = len(frames)
                    frames.append([code.co_filename, line, _stacks.name(code)])
                chain.append(at)
            whole = stacks.setdefault((self.names.get(key[0], ""), tuple(chain)), [0, 0, 0])  # instructions of one line are one
            whole[0] += ns
            whole[1] += count
            if _runs_python(calls[0][0], key[2]):
                whole[2] += ns
        stacks = [[thread, list(chain)] + numbers for (thread, chain), numbers in stacks.items()]
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


class Windows(object):
    """The windows of one session: those that are to come, and the one that runs."""

    def __init__(self, session):
        self.session = session
        self.pending = []  # windows as asked for, and when that was
        self.window = None  # the one that runs
        self.thread = Thread(self._body)
        self.lock = threading.Lock()  # taken by our own threads only
        self.idle = True  # the thread has ended, or is about to

    def ask(self, window):
        """A window that the agent asks for. In the listener's thread."""
        window = dict(window, came=time.monotonic())
        known = [w.get("number") for w in self.pending]
        if self.window is not None:
            known.append(self.window.asked.get("number"))
        if window.get("number") in known:
            return  # asked once more by the next agent
        with self.lock:
            self.pending.append(window)
            start = self.idle or self.thread.finished or self.thread.thread is None
            self.idle = False
        if start:
            self.thread = Thread(self._body)
            self.thread.start()
        else:
            self.thread.wake()

    # In the thread.

    def _body(self):
        while not self.thread.stopping():
            if self.window is None:
                due, wait_s = self._due()
                if due is None:
                    with self.lock:
                        if not self.pending:
                            self.idle = True
                            return
                    self.thread.woken.wait(wait_s)
                    continue
                self.pending.remove(due)
                self.window = Window(self.session, due)
                if self.window.over():
                    window, self.window = self.window, None
                    window.deliver("its steps were over when the training heard of it")
                    continue
            if not self.window.run(self.thread):
                return  # it goes on after the fork, or end() delivers it
            window, self.window = self.window, None
            window.deliver()

    def _due(self):
        """The next window whose time has come, or how long to wait for it."""
        steps, now, wait_s = self.session.train_steps(), time.monotonic(), 1.0
        for w in list(self.pending):
            first, after = w.get("first_step"), w.get("after")
            if first is not None:
                if steps >= first:
                    return w, 0.0
                each = self.session.step_seconds or 0.001
                wait_s = min(wait_s, max((first - steps) * each / 2, 0.002))
            elif after:
                left = w["came"] + after - now
                if left <= 0:
                    return w, 0.0
                wait_s = min(wait_s, left)
            else:
                return w, 0.0
        return None, wait_s

    # At the end, and around forks.

    def end(self):
        """The process ends: what was noted until now is delivered."""
        self.pending = []
        if self.idle:
            return
        self.thread.stop(GATHER_SECONDS + 1.0)  # it may be delivering one
        window, self.window = self.window, None
        if window is not None:
            window.deliver("the training ended in the window")


class Window(object):
    """One window, from its first sample to its delivery."""

    def __init__(self, session, asked):
        self.session = session
        self.asked = asked
        self.samples = Samples()
        self.wall_ns = time.time_ns()
        self.began = self.last = time.perf_counter_ns()
        self.first_step = session.train_steps()
        self.workers = Workers(session.path, asked)

    def run(self, thread):
        """Sample until the window is over; False when the thread is to pause or to end before."""
        with Switching():
            return self._run(thread)

    def _run(self, thread):
        samples, clock = self.samples, time.perf_counter_ns
        main = threading.main_thread().ident
        seconds = min(float(self.asked.get("seconds") or MOST_SECONDS), MOST_SECONDS)
        until, end_step = self.began + int(seconds * 1e9), self._end_step()
        self.workers.begin(seconds)
        while True:
            thread.woken.wait(samples.interval_ns / 1e9)
            if thread.stopping():
                return False
            now = clock()
            if now >= until:
                break
            steps = self.session.train_steps()
            if end_step is not None and steps >= end_step:
                break
            idents = (main,)
            trainer = self.session.trainer
            if trainer is not None and trainer != main:
                idents = (main, trainer)
            samples.take(idents, now - self.last)
            self.last = now
        return True

    def over(self):
        """Whether its last step has been closed already."""
        end_step = self._end_step()
        return end_step is not None and self.session.train_steps() >= end_step

    def _end_step(self):
        if self.asked.get("end_step") is not None:
            return int(self.asked["end_step"])
        if self.asked.get("steps"):
            return self.first_step + int(self.asked["steps"])
        return None

    def deliver(self, cut=None):
        """Send what was noted to the agent."""
        steps = self.session.train_steps()
        seconds = (self.last - self.began) / 1e9
        known = dict(getattr(threading, "_active", {}))
        for key in self.samples.stacks:
            thread = known.get(key[0])
            self.samples.names[key[0]] = str(getattr(thread, "_name", None) or "thread %d" % key[0])
        processes = [self.samples.plain("rank", None)]
        processes += self.workers.gather(0.3 if cut else GATHER_SECONDS)
        message = {
            "number": self.asked.get("number"), "session": self.session.id, "pid": os.getpid(), "began_ns": self.wall_ns, "seconds": seconds,
            "first_step": self.first_step, "end_step": steps, "cut": cut or "", "workers": self.workers.count, "processes": processes,
        }  # fmt: skip
        try:
            _stacks.send(self.session.path, {"t": "control", "cmd": "samples", "samples": message}, 0.5 if cut else _stacks.ANSWER_SECONDS)
        except (OSError, ValueError):
            pass  # nobody is there who could store it


# Loader workers.


def _address(path, pid):
    """The socket of a loader worker: a name in the kernel, not a file that somebody has to remove."""
    return "\0vigil/%s/%d" % (os.path.basename(os.path.dirname(path)), pid)


def _children():
    """The processes that this one has started and that run."""
    me, found = os.getpid(), []
    try:
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open("/proc/%s/stat" % name, "rb") as f:
                        if int(f.read().rpartition(b")")[2].split()[1]) == me:
                            found.append(int(name))
                except (OSError, ValueError, IndexError):
                    pass
    except OSError:
        pass
    return sorted(found)


class Workers(object):
    """The loader workers of the process that trains, as far as they take part in a window."""

    def __init__(self, path, asked):
        self.path = path
        self.number = asked.get("number")
        self.count = 0  # workers that could take part
        self.asked = []  # those that do
        self.begun = False

    def begin(self, seconds):
        """Ask the loader workers, at most MOST_WORKERS of them."""
        if self.begun:
            return
        self.begun = True
        there = []
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            sock.setblocking(False)
            for pid in _children():
                try:
                    sock.connect(_address(self.path, pid))
                    there.append(pid)
                except OSError:
                    pass  # it is no loader worker
            self.count = len(there)
            every = max((len(there) + MOST_WORKERS - 1) // MOST_WORKERS, 1)
            for pid in there[::every]:
                if self._say(sock, pid, {"window": self.number, "seconds": seconds}):
                    self.asked.append(pid)

    def _say(self, sock, pid, message):
        try:
            sock.sendto(json.dumps(message).encode(), _address(self.path, pid))
            return True
        except OSError:
            return False

    def _file(self, pid):
        return _noted(self.path, self.number, pid)

    def gather(self, wait_s):
        """End their sampling, and read what they noted."""
        if not self.asked:
            return []
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            sock.setblocking(False)
            waiting = [pid for pid in self.asked if self._say(sock, pid, {"end": self.number}) or os.path.exists(self._file(pid))]
        found, end = [], time.monotonic() + wait_s
        while waiting:
            for pid in list(waiting):
                try:
                    with open(self._file(pid), "rb") as f:
                        found.append(json.loads(f.read().decode("utf-8", "replace")))
                    os.unlink(self._file(pid))
                except FileNotFoundError:
                    continue
                except (OSError, ValueError):
                    pass
                waiting.remove(pid)
            if time.monotonic() > end:
                break
            if waiting:
                time.sleep(0.01)
        return found


def _noted(path, number, pid):
    return "%s.window-%s-%d" % (path, number, pid)


class Listener(object):
    """In a loader worker: waits for the process that trains to ask, and samples then. The agent asks, too, where it stands."""

    def __init__(self, path):
        self.path = path
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.sock.bind(_address(path, os.getpid()))
        self.wakers = os.pipe()
        self.thread = Thread(self._body)
        self.thread.wake = self._wake
        self.window = None  # (number, when it ends, Samples, when the last sample was)

    def start(self):
        self.thread.start()

    def _wake(self):
        try:
            os.write(self.wakers[1], b"x")
        except OSError:
            pass

    def close(self):
        """In a fork, or where a session begins: nobody is to ask this process."""
        for fd in self.wakers:
            try:
                os.close(fd)
            except OSError:
                pass
        self.sock.close()

    def _body(self):
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        poll.register(self.wakers[0], select.POLLIN)
        main = threading.main_thread().ident
        while not self.thread.stopping():
            wait_ms = None if self.window is None else max(self.window[2].interval_ns // 1000000, 1)
            for fd, _ in poll.poll(wait_ms):
                if fd == self.wakers[0]:
                    os.read(self.wakers[0], 64)
                else:
                    try:
                        self._heard()
                    except (OSError, ValueError, KeyError):
                        pass  # nobody is there to hear the answer, or it was no question
            if self.window is None or self.thread.stopping():
                continue
            number, until, samples, last = self.window
            now = time.perf_counter_ns()
            if now >= until:
                self._note()
                continue
            samples.take((main,), now - last)
            self.window = (number, until, samples, now)

    def _heard(self):
        data, ancillary, _, _ = self.sock.recvmsg(4096, socket.CMSG_SPACE(12))
        uids = [struct.unpack("iii", c[:12])[1] for level, kind, c in ancillary if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS]
        if uids != [os.getuid()]:
            return
        message = json.loads(data.decode())
        if "stand" in message:
            _stacks.answer(self.path, message["stand"])
            return
        if "end" in message:
            if self.window is not None and self.window[0] == message["end"]:
                self._note()
            return
        now = time.perf_counter_ns()
        seconds = min(float(message["seconds"]), MOST_SECONDS) + GATHER_SECONDS
        self.window = (int(message["window"]), now + int(seconds * 1e9), Samples(), now)

    def _note(self):
        """Leave what was seen where the process that trains looks for it."""
        number, _, samples, _ = self.window
        self.window = None
        samples.names[threading.main_thread().ident] = "MainThread"
        path = _noted(self.path, number, os.getpid())
        try:
            with open(path + ".tmp", "w", encoding="utf-8", errors="replace") as f:
                json.dump(samples.plain("loader worker", _stacks.process_name()), f)
            os.rename(path + ".tmp", path)
        except OSError:
            pass  # no room: the window has the other processes


_listener = None  # this process's
_watching = False


def _below_multiprocessing():
    """Whether multiprocessing is making this process at this moment."""
    frame, depth = sys._getframe(), 0
    while frame is not None and depth < 60:
        if frame.f_code.co_filename.endswith(("multiprocessing/popen_fork.py", "multiprocessing/spawn.py", "multiprocessing/forkserver.py")):
            return True
        frame, depth = frame.f_back, depth + 1
    return False


@_guard.guard
def watch_children():
    """Listen in each process that multiprocessing makes from now on, and in this one if it is being made so."""
    global _watching
    if _watching or not hasattr(socket, "SO_PASSCRED"):
        return
    _watching = True
    _fork.on_fork(_pause, _resume, _forked)
    _listen_here()


def _listen_here():
    global _listener
    path = os.environ.get("VIGIL_SOCKET")
    if not path or not os.path.exists(path) or not _below_multiprocessing():
        return
    try:
        listener = Listener(path)
    except OSError:
        return
    _listener = listener
    listener.start()


def _pause():
    if _listener is not None:
        _listener.thread.pause()


def _resume():
    if _listener is not None:
        _listener.thread.resume()


def _forked():
    global _listener
    if _listener is not None:
        _listener.close()
        _listener = None
    _listen_here()


@_guard.guard
def close_listener():
    """A session begins: this process trains, and is no loader worker."""
    global _listener
    listener, _listener = _listener, None
    if listener is not None and listener.thread.stop(PAUSE_SECONDS):
        listener.close()
