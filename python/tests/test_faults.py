"""A raise planted at any line of ours never reaches the script, whatever the script does."""

import importlib
import os
import sys

import fakeagent
import faults
import pytest

import vigil
from vigil import _agent, _boot, _connection, _fork, _guard, _log, _session, _wire

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")  # the tests' agent has threads


@pytest.fixture(autouse=True)
def lenient(monkeypatch):
    monkeypatch.setattr(_guard, "strict", False)
    monkeypatch.setattr(_guard, "LIMIT", 20)
    monkeypatch.setattr(_connection, "HANDSHAKE_SECONDS", 1.0)
    monkeypatch.setattr(_connection, "FIRST_SECONDS", 0.2)


def fresh():
    """Our modules as a new process has them."""
    session = _session._current
    if session is not None:
        session._link.closed = True
        session._end()
    _session._current = None
    vigil._current = None
    _log._plain, _log._off = None, False
    _log._waiting[:] = []
    _guard.inert, _guard.errors = False, 0
    _guard._reporters[:] = []
    for callbacks in (_fork._before, _fork._parent, _fork._children):
        callbacks[:] = []
    _agent._said = False
    _boot._installed.clear()
    sys.meta_path[:] = [f for f in sys.meta_path if not isinstance(f, _boot.Finder)]


def everywhere(scenario, want):
    """Plant an error at every line the scenario runs; the scenario still gives what it should."""
    fresh()
    assert scenario() == want
    fresh()
    sites = faults.sites(scenario)
    for site in sites:
        fresh()
        try:
            result, raised = faults.run(scenario, site)
        except Exception as error:
            raise AssertionError("planted at %s:%d, and it reached the script" % site) from error
        assert result == want, "planted at %s:%d" % site
    fresh()
    return sites


def test_logging(make_agent):
    make_agent()

    def script():
        total = 0
        for step in range(4):
            vigil.log({"a": step, "b": "nonsense"})
            vigil.log({"c": 1}, step=step)
            vigil.save_tensor("d", [1.0, 2.0], "mine")
            total += step
        if _session._current is not None:
            _session._current.bye()
        return total

    assert len(everywhere(script, 6)) > 150


@_guard.guard
def hook_step(session, n):
    """What a training hook does in a step, as one guarded entry point."""
    session.new_plan()
    session.step_seconds = 0.01
    if n == 0:
        session.announce_modules("Net", [("", "Net", 0)])
        session.announce_tensors([{"name": "w", "kind": "weight", "shape": [4]}])
        session.facts({"a": 1}, "said")
        session.collection(name="c", regex="w")
        session.notice("info", "x")
        session.missing([("a", "b", 1)])
    layout = session.layout([(0, 64)])
    slot = layout.acquire()
    session.buffer[layout.slots[slot] : layout.slots[slot] + 4] = b"abcd"
    layout.publish(slot, n, 0, n, present=b"\1")
    layout.release()
    offset = session.alloc(100)
    session.tensor(0, 2, session.shape_id((100,)), offset, 100, n, 0, n)
    session.free(session.alloc(64))
    session.big(0, 2, 0, 100000, lambda offset, start, size: None, n, 0, n)
    session.drop(0, 1, _wire.ERROR, n, 0, n)
    session.scalar(0, n, 0, n, 0.5)
    session.step(n, 0, n, 0.01, 100)


def test_a_hook(make_agent):
    make_agent(slots=1 << 10, data=1 << 18)

    def script():
        session = _session.Session.connect("test", "1")
        for n in range(3):
            if session is not None:
                hook_step(session, n)
        if session is not None:
            session.bye()
        return "done"

    assert len(everywhere(script, "done")) > 300


def test_fork(make_agent):
    make_agent()

    def script():
        vigil.log({"a": 1})
        pid = os.fork()
        if pid == 0:
            sys.settrace(None)
            os._exit(7)
        status = os.waitpid(pid, 0)[1] >> 8
        vigil.log({"a": 2})
        return status

    everywhere(script, 7)


def test_boot(tmp_path, monkeypatch):
    (tmp_path / "some_framework.py").write_text("value = 5\n")
    (tmp_path / "some_hook.py").write_text("def install():\n    pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(_boot, "HOOKS", {"some_framework": "some_hook"})
    importlib.invalidate_caches()

    def script():
        for name in ("some_framework", "some_hook"):
            sys.modules.pop(name, None)
        _boot.start()
        import some_framework

        return some_framework.value

    try:
        assert len(everywhere(script, 5)) > 20
    finally:
        fresh()


def test_starting_an_agent(sockdir, monkeypatch, capfd):
    path = os.path.join(sockdir, "program")
    agent_path = os.path.join(sockdir, "s")
    with open(path, "w") as f:
        f.write('#!/bin/sh\necho \'{"socket": "%s", "run": "/r"}\'\n' % agent_path)
    os.chmod(path, 0o755)
    agent = fakeagent.FakeAgent(agent_path)
    monkeypatch.setenv("VIGIL_BIN", path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", sockdir)
    monkeypatch.setenv("MASTER_PORT", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")

    def script():
        os.environ.pop("VIGIL_SOCKET", None)
        os.environ.pop("VIGIL_RUN", None)
        folder = os.path.join(sockdir, "vigil-%d" % os.getuid())
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            os.unlink(os.path.join(folder, name))
        vigil.log({"a": 1})
        return 1

    try:
        assert len(everywhere(script, 1)) > 100
    finally:
        os.environ.pop("VIGIL_SOCKET", None)
        os.environ.pop("VIGIL_RUN", None)
        agent.die()


def test_the_injector_finds_what_is_not_guarded():
    """The instrument itself: an unguarded function of ours is caught."""

    def scenario():
        _wire.cut_name("a")

    fresh()
    sites = faults.sites(scenario)
    assert sites
    with pytest.raises(faults.Injected):
        faults.run(scenario, sites[0])
