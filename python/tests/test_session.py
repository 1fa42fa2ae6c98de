"""A session with an agent: handshake, names, values, plans, the end."""

import math
import os
import sys
import time

import fakeagent
import pytest
from fakeagent import until

from vigil import _guard, _session, _wire
from vigil._session import Session


def test_hello_and_welcome(connected, monkeypatch):
    agent, session = connected()
    (hello,) = agent.sessions
    assert hello["v"] == 1 and hello["pid"] == os.getpid() and not hello["takeover"]
    assert len(hello["session"]) == 32 and int(hello["session"], 16) >= 0
    assert hello["framework"] == {"name": "test", "version": "1"}
    assert hello["language"]["name"] == "python"
    assert (session.run, session.worker, session.alive) == ("/runs/test", "worker_0", True)
    assert session.plan.version == 1 and session.plan.use == 1 << 20
    assert _session.current() is session


@pytest.mark.parametrize("env", [{}, {"VIGIL": "0", "VIGIL_SOCKET": "/nowhere"}])
def test_inert_without_a_socket(monkeypatch, env, capfd):
    for k, v in env.items():
        monkeypatch.setenv(k, v)
    assert Session.connect("test", "1") is None
    assert capfd.readouterr() == ("", "")


def test_nobody_listens(monkeypatch, sockdir, capfd):
    from vigil import _connection

    monkeypatch.setattr(_connection, "FIRST_SECONDS", 0.1)
    monkeypatch.setenv("VIGIL_SOCKET", os.path.join(sockdir, "absent"))
    assert Session.connect("test", "1") is None
    err = capfd.readouterr().err
    assert err.count("\n") == 1 and err.startswith("vigil: nothing is captured: ") and "absent" in err


def test_refused(make_agent, capfd):
    make_agent(refuse="another user's run")
    assert Session.connect("test", "1") is None
    assert capfd.readouterr().err == "vigil: nothing is captured: another user's run; a hint\n"


def test_announcements(connected):
    agent, session = connected()
    session.announce_modules("Net", [("", "Net", 0), ("fc", "Linear", 1)])
    assert session.announce_tensors([{"name": "fc.weight", "kind": "weight", "dtype": "F32", "shape": (3, 4), "module": None}]) == [0]
    assert session.announce_tensors([{"name": "loss", "kind": "loss"}, {"name": "x" * 9000, "kind": "output"}]) == [1, 2]
    assert session.shape_id((5, 4)) == 1 and session.shape_id([5, 4]) == 1 and session.shape_id(()) == 2
    session.facts({"model": "Net", "n": math.nan}, "a Net")
    session.missing([("a", "sparse", 3)])
    session.notice("warning", "text", "hint")
    session.collection(name="c", regex="relu", every=5, raw=True, names=None)
    until(lambda: agent.of("collection"))
    assert agent.of("modules") == [
        {"t": "modules", "root": "Net", "modules": [{"path": "", "type": "Net", "order": 0}, {"path": "fc", "type": "Linear", "order": 1}]}
    ]
    tensors = agent.tensors()
    assert tensors[0] == {"id": 0, "name": "fc.weight", "kind": "weight", "dtype": "F32", "shape": [3, 4]}
    assert len(tensors[2]["name"]) == 8192
    assert [s["shapes"] for s in agent.of("shapes")] == [[{"id": 1, "shape": [5, 4]}], [{"id": 2, "shape": []}]]
    assert agent.of("facts")[0]["facts"] == {"model": "Net", "n": "NaN"}
    assert [m["missing"][0]["name"] for m in agent.of("missing")] == ["*", "a"]
    assert agent.of("collection")[0]["regex"] == ["relu"]


def test_names_come_before_their_first_record(connected):
    """The message is in the socket before the record is in the ring, whatever the agent does."""
    agent, session = connected(slots=1 << 14)
    for i in range(200):
        (id,) = session.announce_tensors([{"name": "t%d" % i, "kind": "scalar"}])
        session.scalar(id, i, 0, i, 1.0)
    records = agent.ring.read()
    until(lambda: len(agent.tensors()) == 200)
    assert {r[4] for r, _ in records} <= set(agent.tensors())


def test_many_tensors(connected):
    agent, session = connected(slots=64)
    infos = [{"name": "layer%d.weight" % i, "kind": "weight", "dtype": "F32", "shape": [64, 64], "order": i} for i in range(20000)]
    ids = session.announce_tensors(infos)
    assert ids == list(range(20000))
    until(lambda: len(agent.tensors()) == 20000)
    assert len(agent.of("tensors")) > 1
    assert agent.tensors()[19999]["name"] == "layer19999.weight"


def test_limit_of_tensors(connected, monkeypatch):
    agent, session = connected()
    monkeypatch.setattr(_wire, "MAX_TENSORS", 2)
    assert session.announce_tensors([{"name": n} for n in "abc"]) == [0, 1, None]
    until(lambda: agent.of("missing"))
    assert agent.of("missing")[0]["missing"][0]["count"] == 1


def test_values(connected):
    agent, session = connected()
    assert session.scalar(3, 7, 1, 2, math.inf)
    assert session.scalar(4, 7, 1, 2, 0.5, free=True)
    offset = session.alloc(10)
    session.buffer[offset : offset + 10] = b"0123456789"
    assert session.tensor(5, _wire.DTYPES["U8"], 9, offset, 10, 7, 1, 2, force_raw=True)
    assert session.step(7, 1, 2, 0.25, 1234, skipped=True)
    session.drop(5, 3, _wire.TOO_LARGE, 8, 1, 3)
    got = agent.ring.read()
    assert [(r[0], r[1], r[3], r[4], r[5], r[6]) for r, _ in got] == [
        (_wire.SCALAR, 1, 0, 3, 7, 2),
        (_wire.SCALAR, 1, _wire.FREE, 4, 7, 2),
        (_wire.TENSOR, 1, _wire.RAW, 5, 7, 2),
        (_wire.STEP, 1, _wire.SKIPPED, 0, 7, 2),
        (_wire.DROP, 1, 0, 5, 8, 3),
    ]
    assert got[0][0][9] == math.inf
    assert got[2][1] == b"0123456789" and got[2][0][2] == 2 and got[2][0][11] == 9
    assert got[3][0][9] == 0.25 and got[3][0][8] == 1234
    assert got[4][0][8] == 3 and got[4][0][11] == _wire.TOO_LARGE
    now = time.time() * 1e6
    assert all(abs(r[10] - now) < 600e6 for r, _ in got)


def test_layout_is_announced_and_filled(connected):
    agent, session = connected()
    layout = session.layout([(0, 8), (1, 100)])
    until(lambda: agent.of("layout"))
    assert agent.of("layout") == [
        {"t": "layout", "id": layout.id, "bytes": layout.bytes, "at": layout.start, "entries": [
            {"tensor": 0, "offset": 0, "nbytes": 8}, {"tensor": 1, "offset": 64, "nbytes": 100}]}
    ]  # fmt: skip
    slot = layout.acquire()
    base = layout.slots[slot] + layout.offsets[1]
    session.buffer[base : base + 100] = b"x" * 100
    layout.publish(slot, 1, 0, 1)
    ((record, data),) = agent.ring.read()
    assert record[4] == layout.id and data[64:164] == b"x" * 100
    assert session.layout([(0, 1 << 30)]) is None


def test_address_is_that_of_the_buffer(connected):
    import ctypes

    _, session = connected()
    ctypes.memmove(session.address + 640, b"hello", 5)
    assert bytes(session.buffer[640:645]) == b"hello"


def test_big_tensor_in_pieces(connected):
    import threading

    agent, session = connected(data=1 << 18)
    content = os.urandom(1 << 20)
    got = []
    done = threading.Event()

    def drain():
        while not done.is_set() or agent.ring.head() > agent.ring.words[_wire.W_CONSUMED]:
            got.extend(agent.ring.read())
            time.sleep(0.001)

    thread = threading.Thread(target=drain)
    thread.start()

    def copy(offset, start, n):
        session.buffer[offset : offset + n] = content[start : start + n]

    try:
        assert session.big(4, 2, 0, len(content), copy, 3, 0, 3, force_raw=True, wait_s=fakeagent.DEADLINE)
    finally:
        done.set()
        thread.join()
    out = bytearray(len(content))
    for record, data in got:
        assert record[0] == _wire.PIECE and record[4] == 4
        start = int(record[9])
        out[start : start + len(data)] = data
    assert bytes(out) == content
    flags = [r[3] for r, _ in got]
    assert flags == [_wire.PIECE_RAW] * (len(got) - 1) + [_wire.PIECE_RAW | _wire.LAST] and len(got) > 8


def test_big_tensor_without_a_reader_is_dropped(connected):
    agent, session = connected(data=1 << 18)
    session.ring.wait = 0.01
    assert not session.big(4, 2, 0, 1 << 20, lambda offset, start, n: None, 3, 0, 3)
    assert agent.ring.read()[-1][0][0] == _wire.DROP
    assert session.dropped == {_wire.FULL: 1}


def test_the_bounded_wait_follows_the_step(connected):
    _, session = connected()
    for seconds, wait in ((0.05, 0.005), (100.0, 0.1)):
        session.step_seconds = seconds
        assert session.ring.wait == pytest.approx(wait) and session.step_seconds == seconds


def test_plan_changes(connected):
    agent, session = connected()
    assert session.new_plan() is None
    agent.plan(2, use=0, schedules=[{"TRAIN": {"every": 5}}], tensors=[[0, 0], [0, -1]], modules=[["fc", "output", 0]], losses=False)
    plan = until(session.new_plan)
    assert plan is session.plan and plan.version == 2
    assert plan.tensors == {0: [0, -1]} and plan.modules == [("fc", "output", 0)] and not plan.losses
    assert session.new_plan() is None


def test_only_the_latest_plan_counts(connected):
    agent, session = connected()
    for version in (5, 3, 4):
        agent.plan(version)
    agent.plan(1, budget=0.5)
    until(lambda: session._next_plan is not None and session._next_plan.version == 1)
    assert session.new_plan().budget == 0.5
    agent.plan(1, budget=0.5)  # nothing new
    agent.plan(7)
    assert until(session.new_plan).version == 7
    assert session.new_plan() is None


def test_unknown_messages_and_broken_plans_harm_nothing(connected, capfd):
    agent, session = connected()
    fakeagent.send(agent.conns[-1], {"t": "something new", "x": 1})
    fakeagent.send(agent.conns[-1], {"t": "plan", "version": 9, "tensors": "nonsense"})
    agent.plan(10)
    assert until(session.new_plan).version == 10
    assert "Link.on_message failed in the background" in capfd.readouterr().err


def test_a_strict_plan_makes_errors_raise(connected, monkeypatch):
    agent, session = connected()
    monkeypatch.setattr(_guard, "strict", False)
    assert session.scalar(-1, 0, 0, 0, 1.0) is False
    agent.plan(2, strict=True)
    until(session.new_plan)
    with pytest.raises(Exception):  # noqa: B017  whatever refuses the tensor first
        session.scalar(-1, 0, 0, 0, 1.0)


def test_the_ring_says_that_the_hook_ended(connected):
    """Also when the agent is gone, and no bye can reach anyone."""
    agent, session = connected()
    words = agent.ring.words
    assert words[_wire.W_ENDED] == 0
    agent.die()
    before = int(time.time() * 1e6)
    session.bye()
    assert words[_wire.W_ENDED] >= before


def test_bye(connected):
    agent, session = connected()
    called = []
    session.before_bye = lambda: called.append(session.step(3, 0, 3, 0.5, 1000000))
    session.step(1, 0, 1, 0.25, 1000000)
    session.step(2, 1, 1, 0.25, 0)
    session.drop(0, 2, _wire.FULL, 2, 0, 2)
    session.bye()
    session.bye()
    until(lambda: agent.of("bye"))
    (said,) = agent.of("bye")
    assert said["overhead"].pop("once_seconds") > 0  # before_bye took some time
    assert said == {"t": "bye", "steps": {"TRAIN": 2, "EVAL": 1}, "overhead": {"captured_seconds": 0.002, "step_seconds": 1.0}, "dropped": {"ring_full": 2}}
    assert called == [True] and not session.alive and _session.current() is None
    # Nothing works any more, and nothing raises.
    assert not session.scalar(0, 9, 0, 9, 1.0)
    assert session.alloc(10) is None and session.layout([(0, 4)]) is None
    session.notice("info", "late")
    assert session.announce_tensors([{"name": "a"}]) == [None]


def test_metrics(connected):
    agent, session = connected()

    class Tensor(object):
        def item(self):
            return 2.5

    session.metrics({"a": 1, "b": True, "c": Tensor(), "d": "text", "e": None, "f": math.nan}, 4, 0, 4)
    session.metrics({"a": 2, "d": "text"}, 5, 0, 5)
    values = [(r[4], r[9]) for r, _ in agent.ring.read()]
    until(lambda: len(agent.tensors()) == 4)
    names = {i: t["name"] for i, t in agent.tensors().items()}
    assert [(names[i], v) for i, v in values if v == v] == [("a", 1.0), ("b", 1.0), ("c", 2.5), ("a", 2.0)]
    until(lambda: len(agent.of("missing")) == 2)
    assert sorted(m["missing"][0]["name"] for m in agent.of("missing")) == ["d", "e"]


@pytest.mark.parametrize("argv, want", [([""], ""), (["-c"], "-c"), (["x/train.py", "1"], os.path.abspath("x/train.py"))])
def test_script(monkeypatch, argv, want):
    monkeypatch.setattr(sys, "argv", argv)
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None, raising=False)
    assert _session.script() == want
