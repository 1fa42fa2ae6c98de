"""A run on disk, read by the Go program: what create_trial's trials answer from."""

import json
import os
import subprocess
import tempfile
import threading

from vigil import _frames
from vigil._steps import Steps
from vigil.exceptions import IndexReaderException, NotPossible


class Reader(object):
    """Asks ``vigil feed`` for the steps of a run; several threads may use it."""

    def __init__(self, path):
        self.steps = Steps()
        self.path = os.path.abspath(os.path.expanduser(str(path)))
        self._lock = threading.RLock()
        self._process = None
        self._errors = tempfile.TemporaryFile()
        self._start()
        self.refresh()

    def _start(self):
        from vigil import _agent

        binary = _agent.find_binary()
        if binary is None:
            raise NotPossible("open run %r: the vigil program was not found (put it on the PATH, or set VIGIL_BIN)" % self.path)
        try:
            self._process = subprocess.Popen(
                [binary, "feed", self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, bufsize=0, preexec_fn=_unlimited
            )
        except OSError as error:
            raise NotPossible("open run %r: start %s: %s" % (self.path, binary, error)) from error

    @property
    def grows(self):
        """Whether more may come."""
        return self.steps.ended is None and self._process is not None

    def refresh(self):
        """Take in what was stored since."""
        with self._lock:
            if not self.grows:
                return
            self._send(_frames.PASS, None)
            while True:
                kind, payload = self._next()
                if kind == _frames.NAMES:
                    self.steps.announce(json.loads(bytes(payload)))
                elif kind == _frames.STEP:
                    self.steps.add(*_frames.split(payload))
                elif kind == _frames.END:
                    self.steps.ended = json.loads(bytes(payload)).get("status")
                    return
                elif kind == _frames.PASS:
                    return
                else:
                    raise IndexReaderException("read run %r: a frame is %r" % (self.path, kind))

    def ask(self, name, mode, mode_step, worker, stat=""):
        """The stored values of a tensor, or with stat "hist" its histogram; None when there are none."""
        with self._lock:
            if self._process is None:
                raise NotPossible("read run %r: the trial is closed" % self.path)
            self._send(_frames.ASK, {"tensor": name, "mode": mode, "mode_step": mode_step, "worker": worker, "stat": stat})
            return _frames.array(*self._next())

    def _send(self, kind, value):
        try:
            _frames.write(self._process.stdin.fileno(), kind, value)
        except OSError as error:
            raise self._gone() from error

    def _next(self):
        try:
            return _frames.read(self._process.stdout.fileno())
        except _frames.Closed as error:
            raise self._gone() from error

    def _gone(self):
        """The error for a program that has ended: what it said."""
        self.close()
        self._errors.seek(0)
        text = self._errors.read(4096).decode("utf-8", "replace").strip()
        if text.startswith("vigil: "):
            text = text[len("vigil: ") :]
        return IndexReaderException(text or "read run %r: the vigil program ended" % self.path)

    def close(self):
        with self._lock:
            process, self._process = self._process, None
            if process is None:
                return
            for stream in (process.stdin, process.stdout):
                try:
                    stream.close()
                except OSError:
                    pass
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def __del__(self):
        try:
            self.close()
        except Exception:
            pass


def _unlimited():
    """In the started process: the memory that a rule may have is not for the program that reads for it."""
    try:
        import resource

        for which in (resource.RLIMIT_DATA, resource.RLIMIT_AS):
            hard = resource.getrlimit(which)[1]
            resource.setrlimit(which, (hard, hard))
    except Exception:
        pass
