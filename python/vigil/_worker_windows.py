"""Windows of detail in loader workers, and what the process that trains asks of them.

Loader workers have no session: a thread of theirs waits on a socket, and the
process that trains asks it.
"""

import json
import os
import select
import socket
import struct
import sys
import threading
import time

from vigil import _fork, _guard, _stacks
from vigil._sampling import MOST_SECONDS, PAUSE_SECONDS, Samples, Thread

MOST_WORKERS = 8  # loader workers that are sampled
GATHER_SECONDS = 2.0  # how long what they noted is waited for


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
