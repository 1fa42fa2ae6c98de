"""Training scripts in forks of a process that has PyTorch already; the scripts run unchanged, and start in no time."""

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

import collector


class Forks(object):
    """A process that forks for every script (e2e/scripts/fork_server.py), in the environment given; one script at a time."""

    def __init__(self, **env):
        argv = [sys.executable, os.path.join(collector.SCRIPTS, "fork_server.py")]
        self.process = subprocess.Popen(argv, env=collector.environment(**env), stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def start(self, argv, env, input=None):
        """Begin the script argv, with the environment env and input on its standard input; a Forked."""
        return Forked(self.process, argv, env, input)

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Forked(object):
    """A script that runs: what of subprocess.Popen the tests use."""

    def __init__(self, process, argv, env, input):
        self.process = process
        self.returncode = None
        self.directory = tempfile.mkdtemp(prefix="vg")
        streams = {name: os.path.join(self.directory, name) for name in ("stdin", "stdout", "stderr")}
        for name, path in streams.items():
            with open(path, "w") as f:
                f.write(input or "" if name == "stdin" else "")
        request = json.dumps(dict(streams, argv=argv, env=env, dir=os.getcwd()))
        process.stdin.write(request.encode() + b"\n")
        process.stdin.flush()

    def communicate(self, timeout):
        """Wait for the end, at most timeout seconds; what it wrote to standard output and standard error."""
        answer, deadline = b"", time.monotonic() + timeout
        while not answer.endswith(b"\n"):
            if not select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                self.process.kill()
                raise subprocess.TimeoutExpired("a forked script", timeout)
            more = os.read(self.process.stdout.fileno(), 64)
            assert more, "the process that forks for scripts has ended"
            answer += more
        self.returncode = int(answer)
        try:
            return tuple(self._read(name) for name in ("stdout", "stderr"))
        finally:
            shutil.rmtree(self.directory, ignore_errors=True)

    def _read(self, name):
        with open(os.path.join(self.directory, name)) as f:
            return f.read()
