"""Where the threads of a process stand: asked for, or written at a signal without the interpreter's lock."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import collector
import pytest

from vigil import _stacks


def test_threads():
    """The main thread first; those of Vigil are left out; file, line and function."""
    go = threading.Event()
    beside = threading.Thread(target=go.wait, name="beside")
    ours = threading.Thread(target=go.wait, name="vigil")
    for t in (beside, ours):
        t.start()
    found = _stacks.threads()
    go.set()
    for t in (beside, ours):
        t.join()
    assert found[0]["main"] and found[0]["name"] == "MainThread"
    names = [t["name"] for t in found]
    assert "beside" in names and "vigil" not in names
    file, line, function = found[0]["frames"][1]
    assert os.path.samefile(file, __file__) and line > 0 and function.endswith("test_threads")


@pytest.fixture
def socket_file(tmp_path):
    path = tmp_path / "s"
    path.write_text("")
    return str(path)


def run(script, path, ready=True):
    """A program that registers the signal and goes on as told; its process, once it says so."""
    text = "import sys\nsys.path.insert(0, %r)\nfrom vigil import _stacks\n_stacks.register()\n" % collector.PYTHON + textwrap.dedent(script)
    child = subprocess.Popen([sys.executable, "-c", text], env=dict(os.environ, VIGIL_SOCKET=path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    if ready:
        assert child.stdout.readline() == "ready\n", child.stderr.read()
    return child


def written(path, enough):
    """What the signal left, once it is enough."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with open(path + _stacks.SUFFIX) as f:
            text = f.read()
        if enough(text):
            return text
        time.sleep(0.01)
    raise AssertionError("nothing was written: %r" % text)


def test_the_lock_is_held_for_ever(socket_file):
    """A call that keeps the interpreter's lock: the signal is answered all the same."""
    child = run(
        """
        import ctypes
        def hangs():
            print("ready", flush=True)
            ctypes.PyDLL(None).usleep(60000000)
        hangs()
        """,
        socket_file,
    )
    time.sleep(0.2)
    os.kill(child.pid, signal.SIGURG)
    text = written(socket_file, lambda text: " in <module>" in text)
    child.kill()
    child.communicate()
    assert " in hangs" in text and "most recent call first" in text


def test_a_forked_process_writes_too(socket_file):
    child = run(
        """
        import os, time
        pid = os.fork()
        if pid == 0:
            def below():
                time.sleep(60)
            below()
        print("ready", flush=True)
        print(pid, flush=True)
        os.waitpid(pid, 0)
        """,
        socket_file,
    )
    below = int(child.stdout.readline())
    time.sleep(0.2)
    os.kill(below, signal.SIGURG)
    text = written(socket_file, lambda text: " in <module>" in text)
    os.kill(below, signal.SIGKILL)
    child.communicate()
    assert " in below" in text


@pytest.mark.parametrize(
    "script",
    [
        "import faulthandler\nfaulthandler.enable()\nassert faulthandler.is_enabled()\nfaulthandler.disable()\n",
        "import faulthandler, signal\nf = open(%(own)r, 'w')\nfaulthandler.register(signal.SIGUSR1, file=f)\nsignal.raise_signal(signal.SIGUSR1)\nassert open(%(own)r).read()\n",
        "import faulthandler\nf = open(%(own)r, 'w')\nfaulthandler.dump_traceback_later(0.05, file=f)\nimport time\ntime.sleep(0.5)\nassert open(%(own)r).read()\nfaulthandler.cancel_dump_traceback_later()\n",
        "import faulthandler\nassert not faulthandler.is_enabled()\n",
    ],
    ids=["enable", "register", "later", "not enabled by us"],
)
def test_scripts_that_use_faulthandler(script, socket_file, tmp_path):
    if "%" in script:
        script = script % {"own": str(tmp_path / "own")}
    child = run(script + "print('fine')\n", socket_file, ready=False)
    out, err = child.communicate(timeout=60)
    assert (out, err, child.returncode) == ("fine\n", "", 0)
    assert os.path.getsize(socket_file + _stacks.SUFFIX) == 0


def test_a_script_that_uses_the_signal_keeps_it(socket_file):
    """What is there before us stays; what comes after us takes the signal over."""
    text = "import signal, sys\nsys.path.insert(0, %r)\nhad = []\n%s\nfrom vigil import _stacks\n_stacks.register()\n%s\nsignal.raise_signal(signal.SIGURG)\nassert had == [1], had\n"
    handler = "signal.signal(signal.SIGURG, lambda *a: had.append(1))"
    for before, after in ((handler, ""), ("", handler)):
        done = subprocess.run([sys.executable, "-c", text % (collector.PYTHON, before, after)], env=dict(os.environ, VIGIL_SOCKET=socket_file), stderr=subprocess.PIPE, universal_newlines=True, timeout=60)
        assert done.returncode == 0, done.stderr


def test_nothing_outside_a_run(tmp_path):
    """Without a socket, or with one that is gone, nothing is registered."""
    script = "import signal, sys\nsys.path.insert(0, %r)\nfrom vigil import _stacks\n_stacks.register()\nassert signal.getsignal(signal.SIGURG) == signal.SIG_DFL\nassert not _stacks._registered\n" % collector.PYTHON
    for env in ({}, {"VIGIL_SOCKET": str(tmp_path / "gone")}):
        base = {k: v for k, v in os.environ.items() if not k.startswith("VIGIL")}
        done = subprocess.run([sys.executable, "-c", script], env=dict(base, **env), stderr=subprocess.PIPE, universal_newlines=True, timeout=60)
        assert done.returncode == 0, done.stderr
    assert os.listdir(str(tmp_path)) == []
