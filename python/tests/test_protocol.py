"""The golden records and messages that the Go side is tested against too."""

import json
import math
import os
import socket
import struct

import pytest

from vigil import _connection, _wire
from vigil._plan import Plan, due

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "internal", "capture", "testdata", "protocol")
SPECIAL = {"NaN": math.nan, "Inf": math.inf, "-Inf": -math.inf}
FIELDS = ("kind", "mode", "dtype", "flags", "id", "step", "mode_step", "offset", "nbytes", "value", "time", "shape", "seq")


def golden(name):
    with open(os.path.join(GOLDEN, name), encoding="utf-8") as f:
        return json.load(f)


@pytest.mark.parametrize("case", golden("records.json"), ids=lambda c: c["name"])
def test_record(case):
    fields = dict(case["fields"])
    fields["value"] = SPECIAL.get(fields["value"], fields["value"])
    values = [fields[k] for k in FIELDS]
    raw = bytes.fromhex(case["hex"])
    assert len(raw) == _wire.RECORD_BYTES
    back = _wire.RECORD.unpack(raw)
    for got, want in zip(back, values):
        assert got == want or (got != got and want != want)
    if fields["value"] == fields["value"]:  # a NaN has more than one spelling
        assert _wire.RECORD.pack(*values) == raw


@pytest.mark.parametrize("case", golden("messages.json"), ids=lambda c: c["name"])
def test_message(case):
    raw = bytes.fromhex(case["hex"])
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(raw)
        message, fds = _connection.receive(ours, True)
        assert message == case["json"] and fds == []
        theirs.sendall(_wire.frame(_wire.dumps(case["json"])))
        message, fds = _connection.receive(ours, False)
        assert message == case["json"] and fds == []


def test_the_newest_plan_is_read():
    """Of plans that come together the newest is parsed; what is no plan keeps its place among them."""
    ours, theirs = socket.socketpair()
    got = []
    link = _connection.Link("", None, None, got.append, None)
    link.wake = socket.socketpair()
    with ours, theirs, link.wake[0], link.wake[1]:
        said = [{"t": "plan", "version": 1}, {"t": "plan", "version": 2}, {"t": "other"}, {"t": "plan", "version": 3}, {"t": "plan", "version": 4}]
        theirs.sendall(b"".join(_wire.frame(_wire.dumps(m)) for m in said))
        theirs.close()
        link._read(ours)
    assert got == [said[1], said[2], said[4]]


def test_golden_plans_are_understood():
    plans = [c["json"] for c in golden("messages.json") if c["json"].get("t") == "plan"]
    assert plans
    for message in plans:
        plan = Plan(message)
        assert plan.version == message["version"]
        assert sorted((i, s) for i, all in plan.tensors.items() for s in all) == sorted(map(tuple, message.get("tensors") or []))
        for indexes in plan.tensors.values():
            for index in indexes:
                assert plan.due(index, _wire.TRAIN, 0, 1) in (True, False)


@pytest.mark.parametrize(
    "schedule, auto, want",
    [
        ({"every": 10}, 5, [0, 10, 20]),
        ({"every": 0}, 10, [0, 10, 20]),
        ({"every": 0}, 0, []),
        ({"every": 5, "start": 7}, 1, [10, 15, 20, 25]),
        ({"every": 5, "end": 10}, 1, [0, 5]),
        ({"every": 1, "start": 3, "end": 5}, 1, [3, 4]),
        ({"off": True}, 1, []),
        ({"off": True, "steps": [3, 28]}, 1, [3, 28]),
        ({"every": 20, "start": 10, "steps": [1]}, 1, [1, 20]),
    ],
)
def test_due(schedule, auto, want):
    plan = Plan({"schedules": [{"EVAL": schedule}]})
    assert [n for n in range(29) if due(plan.schedules[0][_wire.EVAL], n, auto)] == want
    assert [n for n in range(29) if plan.due(0, _wire.TRAIN, n, auto)] == []  # a mode that is not named
    assert not plan.due(-1, _wire.EVAL, 0, 1)


def test_record_layout():
    assert _wire.RECORD.size == _wire.RECORD_BYTES == 64
    assert _wire.HEADER.size == 48


@pytest.mark.parametrize("size", [_wire.MAX_MESSAGE + 1, 0xFFFFFFFF])
def test_message_too_long(size):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(struct.pack("<I", size))
        with pytest.raises(ValueError):
            _connection.receive(ours, False)


@pytest.mark.parametrize("body", [b"[1]", b"{", b"\xff\xfe", b""])
def test_message_that_is_none(body):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(_wire.LENGTH.pack(len(body)) + body)
        with pytest.raises(ValueError):
            _connection.receive(ours, False)


def test_dumps_what_json_does_not_know():
    message = {"a": [1.5, math.nan, math.inf, -math.inf], "b": {1: object}, "c": {3}, "d": (True, None)}
    got = json.loads(_wire.dumps(message).decode())
    assert got["a"] == [1.5, "NaN", "Inf", "-Inf"]
    assert list(got["b"]) == ["1"] and got["c"] == [3] and got["d"] == [True, None]
    assert json.loads(_wire.dumps({"name": "lone \ud800 surrogate"}).decode()) == {"name": "lone ? surrogate"}


@pytest.mark.parametrize("name, cut", [("a" * 8192, False), ("a" * 8193, True), ("\u00e9" * 4096, False), ("\u00e9" * 5000, True), ("x\n'\"/", False)])
def test_cut_name(name, cut):
    got, was_cut = _wire.cut_name(name)
    assert was_cut == cut
    assert len(got.encode()) <= 8192
    if not cut:
        assert got == name
    else:
        assert got != _wire.cut_name(name + "b")[0]
