"""Where the threads of this process stand: file, line and function of each call. Values are never read.

Two ways. The listener asks the interpreter (``threads``); that needs the
interpreter's lock. Where somebody holds the lock for ever, the agent sends
SIGURG, at which ``faulthandler`` writes the stacks without the lock. SIGURG is
ignored by whoever does not know it.
"""

import os
import sys
import time

SUFFIX = ".stacks"  # of the file, after the path of the agent's socket
MOST_FRAMES = 256  # of one stack: the innermost ones
ANSWER_SECONDS = 5.0

_registered = False


def register():
    """Have SIGURG write the stacks into a file next to the agent's socket. Once; nothing where a script uses the signal."""
    global _registered
    path = os.environ.get("VIGIL_SOCKET")
    if _registered or not path or not os.path.exists(path):
        return
    try:
        import _signal
        import faulthandler

        if _signal.getsignal(_signal.SIGURG) not in (_signal.SIG_DFL, _signal.SIG_IGN):
            return
        fd = os.open(path + SUFFIX, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        faulthandler.register(_signal.SIGURG, file=fd, all_threads=True, chain=False)
        _registered = True
    except (ImportError, AttributeError, OSError, ValueError, RuntimeError):
        pass  # the stacks are asked for in the other way


def frames(frame):
    """[file, line, function] of a frame and its callers, the innermost first."""
    found = []
    while frame is not None and len(found) < MOST_FRAMES:
        code = frame.f_code
        found.append([code.co_filename, frame.f_lineno or 0, name(code)])
        frame = frame.f_back
    return found


def name(code):
    """What a function is called, with its class where the interpreter knows it (3.11)."""
    return getattr(code, "co_qualname", code.co_name)


def threads():
    """The threads of this process but those of Vigil: id, name, main, frames."""
    import threading

    # No lock is taken: what threading knows is copied in one operation of the interpreter.
    known = dict(threading._active) if hasattr(threading, "_active") else {}
    main = threading.main_thread().ident
    found = []
    stacks = sys._current_frames()
    try:
        for ident in stacks:
            thread = known.get(ident)
            title = getattr(thread, "_name", None) or "thread %d" % ident
            if title != "vigil":
                found.append({"id": ident, "name": str(title), "main": ident == main, "frames": frames(stacks[ident])})
    finally:
        stacks.clear()  # a frame keeps its variables alive
    found.sort(key=lambda t: not t["main"])
    return found


def answer(path, ask):
    """Tell the agent where the threads stand. ask: number of the request."""
    stood = {"ask": ask, "pid": os.getpid(), "name": process_name(), "threads": threads()}
    try:
        send(path, {"t": "control", "cmd": "stood", "stood": stood}, 1.0)
    except (OSError, ValueError):
        pass  # who asked is gone


def process_name():
    """What multiprocessing calls this process; None in one that it did not start."""
    module = sys.modules.get("multiprocessing.process")
    if module is None or getattr(module, "parent_process", lambda: None)() is None:
        return None
    return str(module.current_process().name)


def send(path, message, patience_s=ANSWER_SECONDS):
    """One message to the agent on a connection of its own; patience_s: how long an agent is waited for. Raises OSError."""
    from vigil import _connection, _wire

    end = time.monotonic() + patience_s
    while True:
        try:
            sock = _connection.dial(path)
            break
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)  # one agent follows another
    try:
        sock.settimeout(max(patience_s, 1.0))
        sock.sendall(_wire.frame(_wire.dumps(message)))
        return _connection.receive(sock, False)[0]
    finally:
        sock.close()
