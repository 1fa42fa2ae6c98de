"""Runs a training script once with Vigil and once without, and keeps what came of it."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

import collector

# What is in the environment of the run without Vigil, and of that with it.
PLAIN = {"VIGIL": "0"}
STRICT = {"VIGIL_STRICT": "1"}


class Trained(object):
    """A script's run: ``runs`` (sessions the agent saw), ``out``, ``err``, ``code``, and the digests of the weights."""

    def __init__(self, runs, out, err, code, digest, plain_digest, plain_out):
        self.runs = runs
        self.out = out
        self.err = err
        self.code = code
        self.digest = digest
        self.plain_digest = plain_digest
        self.plain_out = plain_out

    @property
    def run(self):
        assert len(self.runs) == 1, "%d sessions instead of one\n%s" % (len(self.runs), self.err)
        return self.runs[0]


def train(argv, **options):
    """Run argv once with Vigil and once without; its Trained.

    options: env, input, many (names of trainings that leave a digest each, at
    the end of whose file their name stands), limit (seconds, 300), and what
    Collector takes; forks, the two processes (Forks) without Vigil and with it
    that are to fork for argv, a script and its arguments then.
    """
    limit = options.pop("limit", 300)
    forks = options.pop("forks", None)
    many = options.pop("many", ())
    env = options.pop("env", {})
    input = options.pop("input", None)
    directory = tempfile.mkdtemp(prefix="vg")
    agent = collector.Collector(os.path.join(directory, "s"), **options)
    try:
        def start(out, extra, forks):
            full = collector.environment(VIGIL_E2E_OUT=os.path.join(directory, out), **env)
            for key, value in extra.items():
                full[key] = full[key] + os.pathsep + value if key == "PYTHONPATH" and key in full and value else value
            if forks:
                return forks.start(argv, full, input)
            pipe = subprocess.PIPE
            return subprocess.Popen(argv, env=full, stdin=pipe, stdout=pipe, stderr=pipe, universal_newlines=True)

        plain = start("plain", PLAIN, forks and forks[0])
        ours = start("ours", dict(STRICT, VIGIL_SOCKET=agent.path), forks and forks[1])
        plain_out, plain_err = plain.communicate(*([] if forks else [input]), timeout=limit)
        out, err = ours.communicate(*([] if forks else [input]), timeout=limit)
        assert plain.returncode == ours.returncode, "exit %d without Vigil, %d with it\n%s\n%s" % (plain.returncode, ours.returncode, plain_err, err)
        settle(agent)
        return Trained(agent.runs, out, err, ours.returncode, _read(directory, "ours", many), _read(directory, "plain", many), plain_out)
    finally:
        agent.die()
        shutil.rmtree(directory, ignore_errors=True)


def train_each(script, limit=300):
    """The run of each of many small trainings by its name: of a script that prints name, pid and exit status of each."""
    directory = tempfile.mkdtemp(prefix="vg")
    agent = collector.Collector(os.path.join(directory, "s"))
    try:
        env = collector.environment(VIGIL_SOCKET=agent.path, VIGIL_STRICT="1")
        done = subprocess.run([sys.executable, "-W", "error::UserWarning:vigil", script], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        assert done.returncode == 0, done.stderr
        settle(agent, limit)
        cases = [line.split() for line in done.stdout.splitlines()]
        assert [c for c in cases if c[2] != "0"] == [], done.stderr
        names = {int(pid): name for name, pid, _ in cases}
        return {names[run.hello["pid"]]: run for run in agent.runs}
    finally:
        agent.die()
        shutil.rmtree(directory, ignore_errors=True)


def settle(agent, limit=300):
    """Read all that the processes, which have ended, have said and published: until every connection has been read to its end, and every record."""
    deadline = time.monotonic() + limit
    while not all(r.over for r in agent.runs):
        assert time.monotonic() < deadline, "a process has ended, and its connection has not"
        time.sleep(0.002)
    agent.drain()


def _read(directory, name, many):
    if many:
        return {one: _read(directory, "%s-%s" % (name, one), ()) for one in many}
    try:
        with open(os.path.join(directory, name)) as f:
            return f.read()
    except FileNotFoundError:
        return None
