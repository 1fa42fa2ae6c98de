"""Publishing in the ring: order, wrapping, want of room."""

import math
import os
import struct
import threading
import time

import fakeagent
import pytest

from vigil import _ring, _wire


@pytest.fixture
def ring():
    fd = fakeagent.make_ring(slots=8, data=1 << 16)
    return _ring.Ring(fd), fakeagent.Reader(os.dup(fd))


def put(ring, id, value=0.0):
    return ring.put(_wire.SCALAR, 0, 0, 0, id, id, id, 0, 0, value, 0)


def test_records_arrive_in_order_around_the_ring(ring):
    ring, reader = ring
    got = []
    for i in range(100):
        assert put(ring, i, i / 2) == i
        if i % 5 == 4:
            got += reader.read()
    got += reader.read()
    assert [r[4] for r, _ in got] == list(range(100))
    assert [r[9] for r, _ in got] == [i / 2 for i in range(100)]
    assert ring.dropped == {}


def test_special_values(ring):
    ring, reader = ring
    for value in (math.nan, math.inf, -math.inf, -0.0, 5e-324):
        put(ring, 1, value)
    got = [r[9] for r, _ in reader.read()]
    assert got[0] != got[0] and got[1:3] == [math.inf, -math.inf]
    assert math.copysign(1, got[3]) == -1 and got[4] == 5e-324


def test_full_ring_waits_once_and_then_drops(ring, monkeypatch):
    ring, reader = ring
    ring.wait = 0.05
    for i in range(8):
        assert put(ring, i) == i
    began = time.monotonic()
    assert put(ring, 8) is None
    assert time.monotonic() - began >= 0.05
    waits = []
    monkeypatch.setattr(_ring.time, "sleep", waits.append)
    for _ in range(100):
        assert put(ring, 9) is None
    assert waits == []  # the breaker is open
    monkeypatch.undo()
    assert ring.dropped == {_wire.FULL: 1, _wire.BREAKER: 100}
    assert reader.words[_wire.W_DROPPED] == 101
    assert reader.head() == 8  # head never passes consumed + slots
    reader.read()
    assert put(ring, 10) == 8  # room again: the breaker closes
    assert not ring.open


def test_who_waits_says_so(ring):
    """The agent releases what an open step holds only when it is asked for."""
    ring, reader = ring
    for i in range(3):
        put(ring, i)
    assert ring.wait_for(lambda: True, ring) and reader.words[_wire.W_WANTED] == 0
    assert not ring.wait_for(lambda: False, ring, 0.001) and reader.words[_wire.W_WANTED] == 3


def test_a_wait_ends_when_there_is_room(ring):
    ring, reader = ring
    ring.wait = fakeagent.DEADLINE
    for i in range(8):
        put(ring, i)
    timer = threading.Timer(0.05, reader.read)
    timer.start()
    assert put(ring, 8) == 8
    timer.join()
    assert ring.dropped == {} and not ring.open


class Clock(object):
    """Time that passes only while somebody sleeps."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(_ring.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(_ring.time, "sleep", self.sleep)

    def sleep(self, seconds):
        self.now += seconds


def test_patience(ring, monkeypatch):
    """Two seconds of longer waits in all, the breaker open or not; then the bounded wait and the breaker as ever."""
    ring, _ = ring
    clock = Clock(monkeypatch)
    ring.wait, ring.patience = 0.1, 2.0
    assert ring.wait_for(lambda: clock.now >= 1.5, ring)
    assert ring.patience == pytest.approx(0.5, abs=0.01)
    ring.open = True
    assert ring.wait_for(lambda: clock.now >= 1.7, ring) and not ring.open
    assert ring.patience == pytest.approx(0.3, abs=0.01)
    assert not ring.wait_for(lambda: False, ring)
    assert (ring.open, ring.patience) == (True, 0.0) and clock.now == pytest.approx(2.0, abs=0.02)
    assert not ring.wait_for(lambda: False, ring) and clock.now == pytest.approx(2.0, abs=0.02)
    ring.open = False
    assert not ring.wait_for(lambda: False, ring) and clock.now == pytest.approx(2.1, abs=0.02)


def test_seq_is_the_number_plus_one_modulo_2_32(ring):
    ring, reader = ring
    start = (1 << 32) - 3
    ring.head = start
    reader.words[_wire.W_HEAD] = reader.words[_wire.W_CONSUMED] = start
    ring.limit = start + 8
    for i in range(6):
        assert put(ring, i) == start + i
    assert [r[12] for r, _ in reader.read()] == [(1 << 32) - 2, (1 << 32) - 1, 0, 1, 2, 3]


def test_threads_publish_without_losing_any():
    fd = fakeagent.make_ring(slots=1 << 14)
    ring, reader = _ring.Ring(fd), fakeagent.Reader(os.dup(fd))
    threads = [threading.Thread(target=lambda i=i: [put(ring, i) for _ in range(2000)]) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    got = [r[4] for r, _ in reader.read()]
    assert sorted(got) == sorted(list(range(4)) * 2000)


def test_weak_memory_fence_publishes_the_same(ring):
    ring, reader = ring
    ring.fence = threading.Lock()
    assert put(ring, 3) == 0
    assert [r[4] for r, _ in reader.read()] == [3]


def test_values_that_do_not_fit_a_record_leave_no_trace(ring):
    ring, reader = ring
    with pytest.raises(struct.error):
        put(ring, -1)
    assert put(ring, 5) == 0
    assert [r[4] for r, _ in reader.read()] == [5]


@pytest.mark.parametrize(
    "at, value",
    [(0, b"NOTARING"), (8, struct.pack("<I", 2)), (16, struct.pack("<Q", 7)), (16, struct.pack("<Q", 1 << 40)), (40, struct.pack("<Q", 1 << 40))],
)
def test_a_header_that_makes_no_sense_is_refused(at, value):
    fd = fakeagent.make_ring()
    os.pwrite(fd, value, at)
    with pytest.raises(ValueError, match="map the ring"):
        _ring.Ring(fd)
    os.close(fd)


def test_an_abandoned_ring_is_never_written_again(ring):
    ring, reader = ring
    put(ring, 1)
    before = bytes(reader.map)
    ring.abandon()
    for i in range(20):
        assert put(ring, i) is None
    assert bytes(reader.map) == before
    ring.abandon()  # twice is as good as once
