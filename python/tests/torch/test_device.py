"""The way by which a GPU's tensors are captured, over tensors of the CPU (VIGIL_DEVICE=cpu): what arrives is what arrives without it."""

import os
import struct
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
long = pytest.mark.skipif(not os.environ.get("VIGIL_TEST_LONG"), reason="runs with ./test.sh --long")
MODULES = [["first", "output", 1], ["relu", "output", 1], ["late", "output", 1]]


def _left(trained, **options):
    env = {"VIGIL_DEVICE": options.pop("device", "cpu"), "SHORT": options.pop("short", "")}
    done = trained("on_device", argv=[sys.executable, os.path.join(HERE, "on_device.py")], env=env, modules=MODULES, **options)
    assert done.digest and done.digest == done.plain_digest
    assert not [n for n in done.run.notices if "failed" in n["text"]], done.run.notices
    return done.run, {s.number: s for s in done.run.steps if s.seconds is not None}


def _same(ours, plain, least):
    """What both have is equal, and that is not little: a machine under load may drop some."""
    assert len(ours) == len(plain) == 12
    equal = 0
    for number, step in ours.items():
        assert not step.repeated
        for name in set(step.tensors) & set(plain[number].tensors):
            assert step.tensors[name] == plain[number].tensors[name], "%s at step %d" % (name, number)
            equal += 1
        assert step.scalars == plain[number].scalars
    assert equal >= least, "%d values in common" % equal


def test_statistics(trained):
    _, plain = _left(trained, device="")
    run, ours = _left(trained, values=["bias"])
    assert run.hello["reduces"]
    _same(ours, plain, least=30)
    there = 0
    for number, step in ours.items():
        for name, (rows, histogram) in step.reduced.items():
            assert "bias" not in name and name not in step.tensors
            data = plain[number].tensors.get(name)
            if data is None:
                continue
            format = {"F32": "f", "BF16": "H"}[run.info(name)["dtype"]]
            values = struct.unpack("<%d%s" % (len(data) // struct.calcsize(format), format), data)
            if format == "H":
                values = struct.unpack("<%df" % len(values), b"".join(struct.pack("<I", v << 16) for v in values))
            assert len(rows) == 1 and rows[0][4:6] == (min(values), max(values))
            assert rows[0][6] == pytest.approx(sum(values) / len(values), rel=1e-4, abs=1e-6)
            assert sum(histogram) == sum(v != 0 for v in values)
            there += 1
    assert there >= 20, "%d statistics" % there


@long
@pytest.mark.parametrize("short", ["", "room put aside", "pinned memory", "pinned memory of the machine"])
def test_values(trained, short):
    _, plain = _left(trained, device="")
    run, ours = _left(trained, short=short)
    _same(ours, plain, least=60)
    assert bool(run.notices) == (short == "pinned memory of the machine")


@long
def test_statistics_without_memory(trained):
    """Values are copied then, and the user is told once."""
    _, plain = _left(trained, device="")
    run, ours = _left(trained, values=["bias"], short="memory for statistics")
    assert not any(s.reduced for s in ours.values())
    _same(ours, plain, least=60)
    assert [n["text"] for n in run.notices] == ["no memory on cpu for capture: out of memory"]


@long
def test_an_agent_that_does_not_know_statistics(trained):
    """Its plan says nothing of values, so these are what it gets."""
    _, ours = _left(trained)
    assert not any(s.reduced for s in ours.values())
