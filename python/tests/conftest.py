"""What the tests share: the package on the path, an agent, a clean state of our modules."""

import os
import shutil
import sys
import tempfile

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.path.dirname(HERE)
for path in (HERE, PYTHON):
    if path not in sys.path:
        sys.path.insert(0, path)

import fakeagent


@pytest.fixture
def sockdir():
    """A short directory for sockets, whose paths are limited to about 100 bytes."""
    path = tempfile.mkdtemp(prefix="vg")
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    """No Vigil in the environment, strict, and nothing left of a session afterwards."""
    for name in list(os.environ):
        if name.startswith("VIGIL"):
            monkeypatch.delenv(name)
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_PORT", "TORCHELASTIC_RUN_ID"):
        monkeypatch.delenv(name, raising=False)
    import vigil
    from vigil import _agent, _guard, _log, _session

    monkeypatch.setattr(_guard, "strict", True)
    monkeypatch.setattr(_guard, "inert", False)
    monkeypatch.setattr(_guard, "errors", 0)
    monkeypatch.setattr(_guard, "_reporters", [])
    monkeypatch.setattr(_agent, "_said", False)
    yield
    if _session._current is not None:
        _session._current._link.closed = True
        _session._current.bye()
    _session._current = None
    _log._plain = None
    _log._off = False
    _log._waiting[:] = []
    vigil._current = None


@pytest.fixture
def make_agent(sockdir, monkeypatch):
    """Makes agents on the one socket that VIGIL_SOCKET names."""
    path = os.path.join(sockdir, "s")
    monkeypatch.setenv("VIGIL_SOCKET", path)
    made = []

    def make(**options):
        agent = fakeagent.FakeAgent(path, **options)
        made.append(agent)
        return agent

    yield make
    for agent in made:
        agent.die()


@pytest.fixture
def connected(make_agent):
    """Makes an (agent, session with its first plan) pair."""
    from vigil._session import Session

    def make(**options):
        agent = make_agent(**options)
        session = Session.connect("test", "1", 0, 0, 1)
        assert session is not None
        fakeagent.until(session.new_plan, "the first plan")
        return agent, session

    return make


def child_environment(**extra):
    """Environment of a child process that finds the package and nothing of Vigil's otherwise."""
    env = {k: v for k, v in os.environ.items() if (not k.startswith("VIGIL") or k == "VIGIL_MIN_FREE") and k != "PYTHONPATH"}
    env["PYTHONPATH"] = os.pathsep.join([PYTHON, HERE])
    env.update(extra)
    return env
