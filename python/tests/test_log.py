"""vigil.log: with a hook, without one, and before one comes."""

import json
import struct
import subprocess
import sys
from fractions import Fraction

import pytest
from conftest import child_environment
from fakeagent import until

import vigil
from vigil import _log, _session, _wire


def steps(agent, kinds=None):
    """[(step, {name: value})] of the records so far, steps as they closed; their kinds are added to a set."""
    names = {i: t["name"] for i, t in agent.tensors().items()}
    out, values = [], {}
    for r, data in agent.ring.read():
        assert r[1] == _wire.GLOBAL and r[5] == r[6]
        if kinds is not None:
            kinds.add(r[0])
        if r[0] == _wire.SCALAR:
            values[names[r[4]]] = r[9]
        elif r[0] == _wire.SCALARS:
            for i, value in enumerate(struct.unpack("<%dd" % (r[8] // 8), data)):
                values[names[r[4] + i]] = value
        elif r[0] == _wire.STEP:
            out.append((r[5], values))
            values = {}
    return out


@pytest.mark.parametrize(
    "calls, want",
    [
        ([({"a": 1}, 0), ({"b": 2}, 0), ({"a": 3}, 1)], [(0, {"a": 1, "b": 2}), (1, {"a": 3})]),
        ([({"a": 1}, None), ({"b": 2}, None), ({"a": 3}, None)], [(0, {"a": 1, "b": 2}), (1, {"a": 3})]),
        ([({"a": 1}, 10), ({"a": 2}, 20), ({"a": 3}, None)], [(10, {"a": 1}), (20, {"a": 2}), (21, {"a": 3})]),
        ([({"a": 1}, 5), ({"a": 2}, 4), ({"a": 3}, 6)], [(5, {"a": 1}), (6, {"a": 3})]),
        ([({"a": 1}, 5), ({"a": 2}, 5)], [(5, {"a": 2})]),
    ],
)
def test_plain_script(make_agent, calls, want):
    agent = make_agent()
    for values, step in calls:
        vigil.log(values, step)
    _session.current().bye()
    until(lambda: agent.of("bye"))
    assert steps(agent) == want
    assert agent.sessions[0]["framework"]["name"] == "python"


def test_the_loss_is_one(make_agent):
    agent = make_agent()
    vigil.log({"loss": 1.0, "val_loss": 2.0}, 0)
    vigil.log(dict({"loss": 1.0}, **{"m%d" % i: i for i in range(8)}), 1)
    _session.current().bye()
    until(lambda: agent.of("bye"))
    assert {t["name"]: t["kind"] for t in agent.of("tensors")[0]["tensors"] + agent.of("tensors")[1]["tensors"]} == {"loss": "loss", "val_loss": "scalar"}
    assert {t["kind"] for t in agent.tensors().values() if t["name"] == "loss"} == {"loss"}


def test_arrays_of_a_plain_script(make_agent):
    """They are kept with the step that numbers of the same call would belong to, as they were at the call."""
    numpy = pytest.importorskip("numpy")
    agent = make_agent()
    w = numpy.arange(4, dtype="float32")
    for i in range(3):
        vigil.log({"a": i}, step=i)
        vigil.save_tensor("w", w, collections="weights", step=i)
        vigil.save_tensor("rows", [[1, 2], [3, 4]][: i + 1])
        w += 1
    vigil.save_tensor("text", "x")
    _session.current().bye()
    until(lambda: agent.of("bye"))
    names = {i: t for i, t in agent.tensors().items()}
    saved = [(names[r[4]]["name"], r[5], r[3], data) for r, data in agent.ring.read() if r[0] == _wire.TENSOR]
    assert [(n, s, f) for n, s, f, _ in saved] == [(n, i, 1) for i in range(3) for n in ("w", "rows")] + [("text", 2, 1)]
    assert json.loads(saved[-1][3]) == {"shape": [], "strings": ["x"]} and len(saved[-1][3]) == 64
    assert [t["strings"] for t in names.values() if t["name"] == "text"] == [True]
    assert [numpy.frombuffer(d, "float32").tolist() for n, _, _, d in saved if n == "w"] == [[i, i + 1, i + 2, i + 3] for i in range(3)]
    assert [numpy.frombuffer(d, "int64").tolist() for n, _, _, d in saved if n == "rows"] == [[1, 2], [1, 2, 3, 4], [1, 2, 3, 4]]
    assert {t["kind"] for t in names.values() if t["name"] in ("w", "rows")} == {"custom"}
    assert agent.of("collection")[0]["joins"] and agent.of("collection")[0]["names"] == ["w"]


def test_the_agent_is_told_when_steps_begin(make_agent):
    """What is given after a step belongs to it until the next one begins: one more than the records until then."""
    agent = make_agent()
    begun = []
    for i in range(3):
        vigil.log({"a": i}, step=i)
        begun.append(_session.current().ring.words[_wire.W_BEGUN])
    assert begun == [1, 3, 5]  # a number and the end of its step
    _session.current().bye()
    until(lambda: agent.of("bye"))


MANY = ["metric_%d" % i for i in range(40)]


def many(start, **more):
    return dict([(name, start + i / 8) for i, name in enumerate(MANY)], **more)


@pytest.mark.parametrize(
    "calls, want",
    [
        # the same names again and again; more of them; fewer
        ([(many(1.0), 0), (many(2), 1), (many(3, more=1), 2), ({"metric_3": 7}, 3)], [(0, many(1)), (1, many(2)), (2, many(3, more=1)), (3, {"metric_3": 7})]),
        # what is no number is left out, what can be one is one
        ([(many(1, text="x", flag=True, whole=10**400), 0), (many(1, number=Fraction(1, 2)), 1)], [(0, many(1, flag=1)), (1, many(1, number=0.5))]),
        # without steps: a name that comes again begins one
        ([(many(1), None), ({"a": 1}, None), (many(2), None)], [(0, many(1, a=1)), (1, many(2))]),
        ([(many(float("inf")), 0), ({i: i for i in range(9)}, 1)], [(0, many(float("inf"))), (1, {str(i): i for i in range(9)})]),
    ],
)
def test_many_numbers_travel_together(make_agent, calls, want):
    agent = make_agent()
    vigil.log({"refused": 0}, -1)  # opens the session; before the plan is there numbers go one by one
    until(lambda: _session.current()._next_plan is not None)
    for values, step in calls:
        vigil.log(values, step)
    _session.current().bye()
    until(lambda: agent.of("bye"))
    kinds = set()
    assert steps(agent, kinds) == want
    assert _wire.SCALARS in kinds


def test_a_step_that_runs_backwards_is_reported(make_agent):
    agent = make_agent()
    vigil.log({"a": 1}, step=5)
    vigil.log({"a": 1}, step=3)
    until(lambda: agent.of("missing"))
    assert agent.of("missing")[0]["missing"] == [{"name": "a", "reason": "logged for step 3 after step 5", "count": 1}]


def test_with_a_hook(make_agent):
    agent = make_agent()
    seen = []

    class Hook(object):
        def log(self, values, step):
            seen.append((values, step))

    hook = Hook()
    _log.register(hook)
    vigil.log({"a": 1}, step=3)
    assert seen == [({"a": 1}, 3)] and not agent.sessions
    _log.unregister(hook)
    assert vigil._current is None


def test_values_wait_for_the_hook_of_an_imported_framework(make_agent, monkeypatch):
    agent = make_agent()
    monkeypatch.setitem(sys.modules, "torch", object())
    seen = []

    class Hook(object):
        def log(self, values, step):
            seen.append((values, step))

    values = {"lr": 0.1}
    vigil.log(values)
    values["lr"] = 0.2
    vigil.log(values, step=4)
    assert not agent.sessions
    _log.register(Hook())
    assert seen == [({"lr": 0.1}, None), ({"lr": 0.2}, 4)]


def test_values_do_not_wait_for_ever(make_agent, monkeypatch):
    agent = make_agent()
    monkeypatch.setitem(sys.modules, "torch", object())
    monkeypatch.setattr(_log, "MOST_WAITING", 3)
    for i in range(5):
        vigil.log({"a": i})
    until(lambda: agent.sessions)
    _session.current().bye()
    until(lambda: agent.of("bye"))
    assert steps(agent) == [(i, {"a": i}) for i in range(5)]


def test_values_that_waited_in_vain_are_there_at_the_end(make_agent):
    agent = make_agent()
    code = "import sys; sys.modules['torch'] = sys; import vigil; vigil.log({'a': 1}); vigil.log({'a': 2})"
    env = child_environment(VIGIL_SOCKET=agent.path, VIGIL_STRICT="1")
    done = subprocess.run([sys.executable, "-c", code], env=env, stderr=subprocess.PIPE, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")
    until(lambda: agent.of("bye"))
    assert steps(agent) == [(0, {"a": 1}), (1, {"a": 2})]


def test_a_hook_that_comes_late_begins_its_own_session(make_agent):
    agent = make_agent()
    vigil.log({"a": 1})
    first = _session.current()
    second = _session.Session.connect("pytorch", "2")
    assert first is not second and not first.alive and _session.current() is second
    until(lambda: len(agent.sessions) == 2 and agent.of("bye"))
    assert agent.of("bye")[0]["steps"] == {"GLOBAL": 1}


def test_off(monkeypatch, capfd):
    monkeypatch.setenv("VIGIL", "0")
    vigil.log({"a": 1})
    assert capfd.readouterr() == ("", "")


def test_without_the_program_one_line_is_said(monkeypatch, capfd):
    monkeypatch.setenv("VIGIL_BIN", "/nowhere/vigil")
    for i in range(3):
        vigil.log({"a": i})
    out, err = capfd.readouterr()
    assert out == "" and err == "vigil: nothing is captured: VIGIL_BIN is '/nowhere/vigil', which is not an executable file\n"


def test_nonsense_never_reaches_the_caller(make_agent, monkeypatch, capfd):
    from vigil import _guard

    agent = make_agent()
    monkeypatch.setattr(_guard, "strict", False)
    for nonsense in (None, 5, "text", [1, 2], {1: 2}, {"a": object()}, {"": 1.0}, {"a\n'/": 2}, {"x" * 5000: 1}, {"a": 10**400}):
        vigil.log(nonsense)
    vigil.log({"a": 1}, step="three")
    vigil.log({"a": 1}, step=float("nan"))
    vigil.log({"good": 1.0}, step=100)
    until(lambda: "good" in {t["name"] for t in agent.tensors().values()})
    assert capfd.readouterr() == ("", "")


def test_import_is_cheap():
    """Importing the package loads none of what only a training process needs."""
    code = "import sys; before = set(sys.modules); import vigil; print(' '.join(sorted(set(sys.modules) - before)))"
    done = subprocess.run([sys.executable, "-S", "-c", code], env=child_environment(), stdout=subprocess.PIPE, timeout=120)
    assert done.stdout.decode().split() == ["vigil", "vigil._version"]
