"""Forked and spawned children: inert unless they train, and then sessions of their own."""

import os
import subprocess
import sys
import textwrap

import fakeagent
import pytest
from conftest import child_environment
from fakeagent import until

from vigil import _session
from vigil._session import Session

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")  # the tests' agent has threads


def in_child(body):
    """Run body() in a forked child; its status is 0 when it returned."""
    pid = os.fork()
    if pid == 0:
        try:
            body()
            os._exit(0)
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0


def test_a_child_leaves_the_parents_session_alone(connected):
    agent, session = connected()
    session.scalar(0, 1, 0, 1, 1.0)
    before = bytes(agent.ring.map)

    def child():
        assert not session.alive and _session.current() is None
        assert not session.scalar(0, 2, 0, 2, 2.0)
        assert not session.step(2, 0, 2, 0.1, 0)
        session.notice("info", "from the child")
        session.announce_tensors([{"name": "from the child"}])
        session.bye()

    in_child(child)
    assert bytes(agent.ring.map) == before
    assert session.alive and session.scalar(0, 2, 0, 2, 2.0)
    session.notice("info", "from the parent")
    until(lambda: agent.of("notice"))
    assert [m["text"] for m in agent.of("notice")] == ["from the parent"]
    assert not agent.of("bye") and not agent.tensors()


def test_a_training_child_connects_on_its_own(connected):
    agent, session = connected()

    def child():
        own = Session.connect("test", "1", 1, 1, 2)
        assert own is not None and own.id != session.id
        (id,) = own.announce_tensors([{"name": "child"}])
        own.scalar(id, 1, 0, 1, 1.0)
        own.bye()

    in_child(child)
    until(lambda: agent.of("bye"))
    assert [h["rank"] for h in agent.sessions] == [0, 1]
    assert agent.sessions[0]["pid"] != agent.sessions[1]["pid"]
    assert [r[9] for r, _ in agent.ring.read()] == [1.0]
    assert session.alive


def test_fork_while_another_thread_holds_the_locks(connected):
    import threading

    agent, session = connected()
    held, done = threading.Event(), threading.Event()

    def hold():
        with session._lock, session._link.lock, session.ring.lock:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:

        def child():
            session.announce_tensors([{"name": "a"}])
            session.notice("info", "x")
            session.bye()
            assert Session.connect("test", "1") is not None

        in_child(child)
    finally:
        done.set()
        thread.join()


def test_a_process_whose_pid_changed_without_python_goes_inert(connected, monkeypatch):
    agent, session = connected()
    pid = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: pid + 1)
    assert not session.step(1, 0, 1, 0.1, 0)
    monkeypatch.undo()
    assert not session.alive


def test_no_thread_of_ours_is_there_when_the_process_forks(connected, monkeypatch):
    from vigil import _connection, _fork

    monkeypatch.setattr(_connection, "PAUSE_SECONDS", fakeagent.DEADLINE)

    agent, session = connected(data=256 << 20)
    ours = []

    def alive():
        return session._link.thread.is_alive()

    assert alive()

    def look():
        ours.append(alive())

    _fork.on_fork(before=look)
    try:
        for _ in range(20):
            session.layout([(0, 1 << 20)]).release()
            in_child(lambda: None)
    finally:
        _fork._before.remove(look)
    assert ours == [False] * 20
    assert alive()  # and it is back
    agent.plan(9)
    assert until(session.new_plan).version == 9


def test_fork_while_nobody_listens(connected, make_agent):
    agent, session = connected()
    agent.die()
    in_child(lambda: None)
    second = make_agent()
    until(lambda: second.sessions)


SCRIPT = """
import multiprocessing, os, sys
import vigil

def work(n):
    from vigil import _session
    assert _session.current() is None
    return n * n

if __name__ == "__main__":
    method = sys.argv[1]
    vigil.log({"before": 1})
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(work, range(8)) == [n * n for n in range(8)]
    vigil.log({"after": 1})
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_stay_inert(make_agent, sockdir, method):
    agent = make_agent()
    path = os.path.join(sockdir, "script.py")
    with open(path, "w") as f:
        f.write(textwrap.dedent(SCRIPT))
    boot = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "boot")
    env = child_environment(VIGIL_SOCKET=agent.path, VIGIL_STRICT="1")
    env["PYTHONPATH"] = boot + os.pathsep + env["PYTHONPATH"]
    done = subprocess.run([sys.executable, path, method], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    until(lambda: agent.of("bye"))
    assert len(agent.sessions) == 1 and len(agent.of("bye")) == 1
    assert {t["name"] for t in agent.tensors().values()} == {"before", "after"}
