"""Starting an agent when the script was not started by ``vigil run``."""

import os
import select
import sys
import time

from vigil import _notebook

SECONDS = 5.0  # how long training waits for the agent to listen

_said = False


def find_binary():
    """The Go program: VIGIL_BIN, the one in the wheel, or the one on the PATH. None when there is none."""
    named = os.environ.get("VIGIL_BIN")
    if named:
        return named if _executable(named) else None
    bundled = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "vigil")
    if _executable(bundled):
        return bundled
    import shutil

    found = shutil.which("vigil")
    # The console script of the wheel would start itself again; it is Python, the program is not.
    if found and not _script(found):
        return found
    return None


def _executable(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _script(path):
    try:
        with open(path, "rb") as f:
            return f.read(2) == b"#!"
    except OSError:
        return True


def start(dir=None, name=None, world=1, local_rank=0):
    """Start an agent for this process and return its socket's path; None when that cannot be done (said once).

    The environment gets VIGIL_SOCKET and VIGIL_RUN, so that processes started
    from here join the same run. Ranks that a launcher started side by side
    share one agent.
    """
    key = _job() if world > 1 else None
    if key is None:
        answer = _start(dir, name, os.getpid())
    else:
        answer = _shared(key, dir, name)
    if not answer:
        return None
    os.environ["VIGIL_SOCKET"] = answer["socket"]
    if answer.get("run"):
        os.environ["VIGIL_RUN"] = answer["run"]
    for name in ("look", "source"):
        if answer.get(name) is False:
            os.environ["VIGIL_" + name.upper()] = "0"
    return answer["socket"]


def _say(text):
    """One line, once: training goes on without capture."""
    global _said
    if not _said:
        _said = True
        sys.stderr.write("vigil: nothing is captured: %s\n" % text)


def _start(dir, name, pid):
    """The agent's answer {"socket", "run"}, or None."""
    import json
    import signal
    import tempfile

    binary = find_binary()
    if binary is None:
        named = os.environ.get("VIGIL_BIN")
        if named:
            _say("VIGIL_BIN is %r, which is not an executable file" % named)
        else:
            _say("the vigil program was not found (put it on the PATH, or set VIGIL_BIN)")
        return None
    command = [binary, "agent", "--for-pid", str(pid)]
    if dir or os.environ.get("VIGIL_DIR"):
        command += ["--dir", dir or os.environ["VIGIL_DIR"]]
    if name or os.environ.get("VIGIL_NAME"):
        command += ["--name", name or os.environ["VIGIL_NAME"]]
    if sys.executable:
        command += ["--python", sys.executable]
    if _notebook.path():
        command += ["--script", _notebook.path()]
    errors = tempfile.TemporaryFile()
    process = None
    try:
        process = _detached(command, errors)
        out = Lines(process.stdout.fileno())
        end = time.monotonic() + SECONDS
        pid = out.next(end)
        line = out.next(end) if pid else pid
        try:
            answer = json.loads(line.decode("utf-8")) if line else None
        except ValueError:
            answer = None
        if isinstance(answer, dict) and answer.get("socket"):
            _notebook.follow(answer.get("run"), lambda run: _tail(binary, run))
            return answer
        errors.seek(0)
        why = _first_error(errors.read(4096).decode("utf-8", "replace"))
        if not why and line:
            why = "it answered %r" % line[:200].decode("utf-8", "replace")
        elif not why:
            why = "it ended without an answer" if line is not None else "it did not answer within %g s" % SECONDS
        if pid and line != b"":  # it may still run
            try:
                os.kill(int(pid), signal.SIGKILL)
            except (OSError, ValueError):
                pass
        _say("the agent did not start: %s" % why)
        return None
    except OSError as error:
        _say("start %s: %s" % (binary, error))
        return None
    finally:
        if process is not None:
            process.stdout.close()
            process.wait()
        errors.close()


def _tail(binary, run):
    """The program that prints the findings of a run."""
    with open(os.devnull, "wb") as errors:
        return _detached([binary, "tail", "--findings", run], errors)


def _detached(command, errors):
    """Start command as nobody's child: a script that waits for its children must not meet ours.

    The shell in between starts it, prints its pid and ends. Ctrl-C at the
    terminal does not reach it.
    """
    import subprocess

    shell = ["/bin/sh", "-c", '"$@" </dev/null & echo $!', "sh"]
    return subprocess.Popen(
        shell + command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, start_new_session=True, close_fds=True
    )


def _first_error(text):
    """What the program said: its first line that says who speaks, else the first line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in lines:
        if line.startswith("vigil: "):
            return line[len("vigil: ") :]
    return lines[0] if lines else ""


class Lines(object):
    """Lines that come from a descriptor, in time."""

    def __init__(self, fd):
        self.fd = fd
        self.got = b""

    def next(self, end):
        """The next line without its newline; b"" when there is no more, None when time is up."""
        while b"\n" not in self.got:
            left = end - time.monotonic()
            if left <= 0:
                return None
            poll = select.poll()
            poll.register(self.fd, select.POLLIN)
            if not poll.poll(left * 1000):
                continue
            data = os.read(self.fd, 65536)
            if not data:
                return b""
            self.got += data
        line, self.got = self.got.split(b"\n", 1)
        return line


def _job():
    """What ranks of one job on this host have in common, or None when nothing tells."""
    run = os.environ.get("TORCHELASTIC_RUN_ID")
    port = os.environ.get("MASTER_PORT")
    if not run and not port:
        return None
    restart = os.environ.get("TORCHELASTIC_RESTART_COUNT", "")
    return "%s-%s-%s-%s-%s" % (run or "", os.environ.get("MASTER_ADDR", ""), port or "", os.getppid(), restart)


def _shared(key, dir, name):
    """One agent for all ranks of a job: the first to come starts it, the others read its answer."""
    import fcntl
    import hashlib
    import json
    import stat
    import tempfile

    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    folder = os.path.join(base, "vigil-%d" % os.getuid())
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        info = os.lstat(folder)
        if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.getuid() or info.st_mode & 0o077:
            raise OSError("%s is not a directory of mode 0700 of this user" % folder)
        path = os.path.join(folder, hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:16] + ".json")
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        _say("agree on one agent with the other ranks: %s" % error)
        return None
    with os.fdopen(fd, "r+") as f:
        end = time.monotonic() + SECONDS + 1
        while True:
            try:
                fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > end:
                    _say("another rank did not start the agent in time")
                    return None
                time.sleep(0.02)
        try:
            answer = json.loads(f.read() or "null")
        except ValueError:
            answer = None
        if isinstance(answer, dict) and answer.get("socket") and _listens(answer["socket"]):
            return answer
        answer = _start(dir, name, os.getpid())
        f.seek(0)
        f.truncate()
        if answer:
            f.write(json.dumps(answer))
            f.flush()
        return answer


def _listens(path):
    """Whether somebody answers at the socket."""
    import socket

    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.settimeout(1.0)
        sock.connect(path)
        return True
    except OSError:
        return False
    finally:
        sock.close()
