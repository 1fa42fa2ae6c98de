"""Errors of ours never reach the script."""

import pytest
from fakeagent import until

from vigil import _guard, _session


@pytest.fixture
def lenient(monkeypatch):
    monkeypatch.setattr(_guard, "strict", False)


@_guard.guard
def broken(error=ValueError("boom")):  # noqa: B008  one error, to be recognised
    """Doc."""
    raise error


def test_strict_raises():
    with pytest.raises(ValueError, match="boom"):
        broken()


def test_the_wrapper_looks_like_what_it_wraps():
    assert broken.__name__ == "broken" and broken.__doc__ == "Doc."


def test_errors_are_swallowed_and_the_first_is_said(lenient, capfd):
    for _ in range(5):
        assert broken() is None
    out, err = capfd.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith("vigil: capture failed in broken: ValueError: boom (test_guard.py:")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), GeneratorExit()])
def test_what_belongs_to_the_user_passes(lenient, error):
    with pytest.raises(type(error)):
        broken(error)


def test_inert_after_many(lenient):
    calls = []

    @_guard.guard
    def counts():
        calls.append(1)
        raise RuntimeError

    for _ in range(_guard.LIMIT + 10):
        counts()
    assert len(calls) == _guard.LIMIT and _guard.inert


def test_errors_reach_the_run(lenient, connected, capfd):
    agent, session = connected()
    session.step(1, 0, 1, 0.1, 10)
    for _ in range(_guard.LIMIT):
        broken()
    until(lambda: agent.of("bye"))
    notices = [m["text"] for m in agent.of("notice")]
    assert len(notices) == 2 and "boom" in notices[0] and notices[1].startswith("capture stopped after 20 errors")
    assert len(agent.of("missing")) == 2 and agent.of("bye")[0]["steps"] == {"TRAIN": 1}
    assert not session.alive and _session.current() is None
    assert capfd.readouterr() == ("", "")
    assert _session.Session.connect("test", "1") is None  # inert for good


def test_an_error_whose_text_fails(lenient, capfd):
    class Nasty(Exception):
        def __str__(self):
            raise RuntimeError

    assert broken(Nasty()) is None
    assert capfd.readouterr().out == ""
