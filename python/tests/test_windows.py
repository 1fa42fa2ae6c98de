"""Windows of detail: where the training stands, noted from a thread next to it."""

import ctypes
import json
import os
import subprocess
import sys
import textwrap
import threading
import time

import collector
import pytest

from vigil import _sampling, _stacks, _windows

PARTS_SECONDS = 2.5


class Session(object):
    """What a window needs of a session."""

    id, path, step_seconds, trainer, graph = "00" * 16, "/nowhere/s", 0.0, None, None

    def __init__(self):
        self.steps = 0

    def train_steps(self):
        return self.steps


@pytest.fixture
def delivered(monkeypatch):
    """The messages that would go to the agent, and a lock that opens with each."""
    got, came = [], threading.Semaphore(0)

    def send(path, message, patience_s=0.0):
        got.append(json.loads(json.dumps(message["samples"])))
        came.release()

    monkeypatch.setattr(_stacks, "send", send)
    return got, came


def seconds_in(process, function):
    """Nanoseconds of the stacks that a function is in."""
    names = [frame[2].rpartition(".")[2] for frame in process["frames"]]
    return sum(ns for _, chain, ns, _, _, _, _ in process["stacks"] if any(names[at] == function for at in chain)) / 1e9


def keeps_the_lock(seconds):
    libc, end = ctypes.PyDLL(None), time.perf_counter() + seconds
    while time.perf_counter() < end:
        libc.usleep(70000)


def pure_python(seconds):
    end, n = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        n += 1


def releases_the_lock(seconds):
    libc, end = ctypes.CDLL(None), time.perf_counter() + seconds
    while time.perf_counter() < end:
        libc.usleep(70000)


def test_three_equal_parts(delivered):
    """A sample counts as long as the time since the one before: code that keeps the interpreter's lock has its true share."""
    windows = _windows.Windows(Session())
    windows.ask({"number": 1, "seconds": 60})
    while windows.window is None or not windows.window.samples.samples:  # on a busy machine the first part would begin before the thread
        time.sleep(0.01)
    took = {}
    for part in (keeps_the_lock, pure_python, releases_the_lock):
        began = time.perf_counter()
        part(PARTS_SECONDS)
        took[part.__name__] = time.perf_counter() - began
    windows.end()
    (message,) = delivered[0]
    process = message["processes"][0]
    whole = sum(took.values())
    for name, seconds in took.items():
        assert abs(seconds_in(process, name) - seconds) / whole < 0.08, (name, seconds_in(process, name), took)
    assert sum(stack[3] for stack in process["stacks"]) == process["samples"]


def test_only_places_travel(delivered):
    """File, line and function; no value of a variable."""
    windows = _windows.Windows(Session())
    secret = "never-to-be-seen"
    windows.ask({"number": 1, "seconds": 0.2})
    assert delivered[1].acquire(timeout=60)
    assert secret not in json.dumps(delivered[0]) and len(secret) > 3
    frames = delivered[0][0]["processes"][0]["frames"]
    assert frames and all(len(f) == 3 and isinstance(f[1], int) for f in frames)


def test_steps_and_order(delivered):
    """Windows by step begin and end with their steps, whatever the order in which they were asked for."""
    session = Session()
    windows = _windows.Windows(session)
    windows.ask({"number": 2, "first_step": 20, "end_step": 22})
    windows.ask({"number": 1, "first_step": 5, "end_step": 7})
    windows.ask({"number": 1, "first_step": 5, "end_step": 7})  # the next agent asks again
    for first in (5, 20):
        session.steps = first
        end = time.monotonic() + 60
        while windows.window is None and time.monotonic() < end:
            time.sleep(0.01)
        session.steps = first + 2
        assert delivered[1].acquire(timeout=60)
    assert [m["number"] for m in delivered[0]] == [1, 2]
    for message, first in zip(delivered[0], (5, 20)):
        assert message["first_step"] >= first and message["end_step"] >= first + 2 and not message["cut"]


def test_a_window_whose_steps_are_over(delivered):
    """The training was faster than the question: the window says so, and has nothing."""
    session = Session()
    session.steps = 100
    windows = _windows.Windows(session)
    windows.ask({"number": 1, "first_step": 5, "end_step": 7})
    assert delivered[1].acquire(timeout=60)
    message = delivered[0][0]
    assert message["cut"] == "its steps were over when the training heard of it"
    assert message["processes"][0]["samples"] == 0 and message["seconds"] == 0


def test_the_process_ends_in_a_window(delivered):
    windows = _windows.Windows(Session())
    windows.ask({"number": 4, "seconds": 500})
    time.sleep(0.1)
    windows.end()
    assert delivered[0][0]["cut"] == "the training ended in the window"
    assert not windows.thread.thread.is_alive()


def test_threads_that_train(delivered):
    """A thread that closes steps is sampled next to the main one."""
    session, go = Session(), threading.Event()

    def training():
        session.trainer = threading.get_ident()
        go.wait()

    thread = threading.Thread(target=training, name="trains")
    thread.start()
    windows = _windows.Windows(session)
    windows.ask({"number": 1, "seconds": 0.3})
    assert delivered[1].acquire(timeout=60)
    go.set()
    thread.join()
    assert {stack[0] for stack in delivered[0][0]["processes"][0]["stacks"]} == {"MainThread", "trains"}


def test_a_sample_that_costs_too_much_makes_them_rarer(monkeypatch):
    clock = iter(range(0, 10**12, 100000))  # each look at it is 0.1 ms later
    monkeypatch.setattr(time, "thread_time_ns", lambda: next(clock))
    samples = _sampling.Samples()
    for _ in range(4 * _sampling.SMOOTH):
        samples.take((threading.get_ident(),), 1)
    assert samples.interval_ns == 2 * _sampling.INTERVAL_NS  # 0.1 ms of 20 ms is 0.5 %
    assert samples.samples == 4 * _sampling.SMOOTH


def test_many_different_stacks_are_bounded(monkeypatch):
    monkeypatch.setattr(_sampling, "MOST_STACKS", 3)
    samples = _sampling.Samples()

    def deep(n):
        if n:
            return deep(n - 1)
        samples.take((threading.get_ident(),), 1)

    for n in range(50):
        deep(n)
    assert len(samples.stacks) <= 4 and sum(s[1] for s in samples.stacks.values()) == 50


# Programs of their own.

SCRIPT = """
import json, os, sys, threading, time
sys.path.insert(0, %r)
from vigil import _fork, _stacks, _windows, _worker_windows
got = []
def send(path, message, patience_s=0.0):
    got.append(message["samples"])
_stacks.send = send
class Session(object):
    id, path, step_seconds, trainer, graph = "0", os.environ.get("VIGIL_SOCKET", "/nowhere/s"), 0.0, None, None
    def train_steps(self):
        return 0
windows = _windows.Windows(Session())
def wait():
    end = time.monotonic() + 60
    while not got and time.monotonic() < end:
        time.sleep(0.01)
    return got[0]
"""


def run(script, **env):
    text = SCRIPT % collector.PYTHON + textwrap.dedent(script)
    done = subprocess.run([sys.executable, "-W", "error", "-c", text], env=dict(os.environ, **env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_fork_in_a_window():
    """The child has no thread of ours, no warning comes, and the window goes on in the parent."""
    out = run("""
        _fork.on_fork(windows.thread.pause, windows.thread.resume)
        windows.ask({"number": 1, "seconds": 2})
        _fork._before[:] = [lambda: windows.thread.pause()]
        _fork._parent[:] = [lambda: windows.thread.resume()]
        time.sleep(0.2)
        for _ in range(3):
            pid = os.fork()
            if pid == 0:
                os._exit(len(threading.enumerate()) - 1)
            assert os.waitpid(pid, 0)[1] == 0
            time.sleep(0.2)
        message = wait()
        assert message["seconds"] > 1.5 and message["processes"][0]["samples"] > 10, message
        print("whole")
    """)
    assert out == "whole\n"


@pytest.mark.parametrize("tool", ["settrace", "setprofile", "monitoring"])
def test_tools_of_the_script(tool):
    """A script that traces itself and its threads sees no more of our thread than its beginning, and keeps its tool."""
    if tool == "monitoring" and sys.version_info < (3, 12):
        pytest.skip("sys.monitoring came with Python 3.12")
    out = run("""
        tool = %r
        seen = []
        def trace(frame, event, arg):
            if ("_sampling" in frame.f_code.co_filename or "_windows" in frame.f_code.co_filename) and threading.current_thread() is not threading.main_thread():
                seen.append(frame.f_code.co_name)
            return trace
        if tool == "monitoring":
            mine = []
            sys.monitoring.use_tool_id(sys.monitoring.PROFILER_ID, "script")
            sys.monitoring.register_callback(sys.monitoring.PROFILER_ID, sys.monitoring.events.PY_START, lambda code, at: mine.append(code.co_name))
            sys.monitoring.set_events(sys.monitoring.PROFILER_ID, sys.monitoring.events.PY_START)
        else:
            getattr(threading, tool)(trace)
            getattr(sys, tool)(trace)
        windows.ask({"number": 1, "seconds": 0.5})
        message = wait()
        if tool == "monitoring":
            assert sys.monitoring.get_tool(sys.monitoring.PROFILER_ID) == "script" and "wait" in mine
        else:
            assert getattr(sys, "get" + tool[3:])() is trace
            assert set(seen) <= {"_run"}, set(seen)
        assert message["processes"][0]["samples"] > 5
        print("kept")
    """ % tool)
    assert out == "kept\n"


def test_loader_workers(tmp_path):
    """Processes of multiprocessing listen, are asked, at most eight of them, and what they noted comes with the window."""
    directory = tmp_path / "vigil-test"
    directory.mkdir(mode=0o700)
    (directory / "s").write_text("")
    out = run(
        """
        import multiprocessing
        _worker_windows.watch_children()
        def work(go):
            while not go.is_set():
                time.sleep(0.01)
        context = multiprocessing.get_context("fork")
        go = context.Event()
        several = [context.Process(target=work, args=(go,), name="worker-%d" % i) for i in range(12)]
        for p in several:
            p.start()
        time.sleep(0.5)
        windows.ask({"number": 7, "seconds": 1.5})
        message = wait()
        go.set()
        for p in several:
            p.join()
        assert message["workers"] == 12, message["workers"]
        kinds = [p["kind"] for p in message["processes"]]
        assert kinds[0] == "rank" and 4 <= kinds.count("loader worker") <= 8, kinds
        for p in message["processes"][1:]:
            assert p["name"].startswith("worker-") and p["samples"] > 5
            assert any(f[2] == "work" for f in p["frames"]), p["frames"]
        left = [n for n in os.listdir(os.path.dirname(Session.path)) if "window" in n]
        assert left == [], left
        print("asked")
    """,
        VIGIL_SOCKET=str(directory / "s"),
    )
    assert out == "asked\n"
