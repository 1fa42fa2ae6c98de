"""Marks of where the time goes (vigil._marks), as they are sent."""

import json
import os
import struct
import threading

import pytest

from vigil import _marks, _wire
from vigil._values import Values

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "internal", "capture", "testdata", "protocol", "marks.json")
MS = 1000000
WALL = 1763721000000000000
PARTS = ("data", "to_device", "forward", "backward", "ranks", "optimizer", "checkpoint", "other")


class Session(object):
    """Takes what is sent."""

    takes_marks = True

    def __init__(self):
        self.sent = []  # (head, integers, whether they are the last)
        self.loaders = []

    def marks(self, numbers, first, wall, since, last):
        self.sent.append(((wall, first, since), list(numbers), last))
        return True

    def loader(self, number, facts):
        self.loaders.append((number, facts))


class Clock(object):
    def __init__(self):
        self.ms = 1000  # it does not begin at 0

    def __call__(self):
        return self.ms * MS


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def marks(clock):
    return _marks.Marks(clock, lambda: WALL)


def pairs(numbers):
    """[(milliseconds, kind)] of marks that no integers follow."""
    return [((v >> 8) / MS, v & 0xFF) for v in numbers]


with open(GOLDEN, encoding="utf-8") as f:
    CASES = json.load(f)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["name"])
def test_as_they_travel(case, marks, clock):
    """What a hook notes becomes the bytes that the Go side reads, too."""
    session = Session()
    marks.goes_to(session)
    began = clock.ms
    for ms, call, *args in case["calls"]:
        clock.ms = began + ms
        if call in ("begins", "ends"):
            args = [PARTS.index(args[0])]
        elif call == "loader":
            args = [args[0], (began + args[1]) * MS]
        getattr(marks, call)(*args)
    marks.send()
    ((head, numbers, last),) = session.sent
    assert not last
    assert struct.pack("<%dq" % (len(head) + len(numbers)), *head, *numbers).hex() == case["hex"]


def test_sent_some_times_a_second(marks, clock):
    """At a step's end, once a quarter of a second has gone by; what follows a step begins with its end."""
    session = Session()
    marks.goes_to(session)
    for n in range(100):
        clock.ms += 10
        marks.step(0, n % 40 == 26, n, n)
    assert [head[1:] for head, _, _ in session.sent] == [(0, -1), (26 * 3, 260 * MS), (52 * 3, 520 * MS)]
    assert [len(numbers) for _, numbers, _ in session.sent] == [26 * 3] * 3
    marks.send(True)
    assert session.sent[-1][0][1:] == (78 * 3, 780 * MS) and session.sent[-1][2]


def test_what_is_told_beside_marks_comes_first(marks, clock):
    """And once more at the end, when there are no marks."""
    session, order = Session(), []
    marks.beside = lambda to, last: order.append(("beside", to is session, last, len(session.sent)))
    marks.goes_to(session)
    clock.ms += 300
    marks.step(0, False, 0, 0)
    marks.send(True)
    assert order == [("beside", True, False, 0), ("beside", True, True, 1)]
    assert [(len(numbers), last) for _, numbers, last in session.sent] == [(3, False), (0, True)], "the last ones say so, even where there are none"


def test_a_step_that_closes_late_ended_before(marks, clock):
    session = Session()
    marks.goes_to(session)
    clock.ms += 300
    marks.step(1, True, 0, 0)
    marks.begins(_marks.FORWARD)
    marks.send()
    assert [head[2] for head, _, _ in session.sent] == [-1, -1]


def test_other_threads_are_in_no_part(marks, clock):
    other = threading.Thread(target=lambda: (marks.begins(_marks.DATA), marks.ends(_marks.DATA), marks.loader(0, 0)))
    other.start()
    other.join()
    assert not len(marks.list)
    marks.trains_in(other.ident)
    marks.begins(_marks.DATA)
    assert pairs(marks.list) == [(0, _marks.UNKNOWN)]


def test_without_a_session_memory_is_bounded(marks, clock):
    """The first marks of a process come before there is somebody to send them to."""
    for _ in range(3 * _marks.MOST):
        marks.begins(_marks.DATA)
        marks.trim()
    assert len(marks.list) < _marks.MOST + 2
    marks.tell(0, {"workers": 2})
    session = Session()
    marks.goes_to(session)
    marks.send()
    ((_, first, _), numbers, _) = session.sent[0]
    assert first == 0 and numbers[0] & 0xFF == _marks.UNKNOWN
    assert session.loaders == [(0, {"workers": 2})]


@pytest.mark.parametrize("end", ["the agent does not know marks", "closed"])
def test_nothing_more_is_noted(end, marks):
    session = Session()
    session.takes_marks = end == "closed"
    marks.begins(_marks.DATA)
    marks.goes_to(session)
    if end == "closed":
        marks.close()
    marks.begins(_marks.DATA)
    marks.trains_in(threading.get_ident())
    marks.begins(_marks.DATA)
    marks.step(0, False, 0, 0)
    marks.tell(0, {})
    marks.send()
    assert not len(marks.list) and not session.sent and not session.loaders


def test_a_forked_child_begins_anew(marks):
    session = Session()
    marks.goes_to(session)
    marks.begins(_marks.DATA)
    marks.send()
    marks.begins(_marks.FORWARD)
    marks.forget()
    marks.begins(_marks.BACKWARD)
    assert (marks.first, marks.session, [v & 0xFF for v in marks.list]) == (0, None, [_marks.BACKWARD])


class Area(object):
    """A free area that has room, or none."""

    def __init__(self, there):
        self.there = there
        self.published = []

    def room(self, nbytes):
        return self.there

    def alloc(self, nbytes, wait_s=None):
        return 64

    def publish(self, offset, n):
        self.published.append((offset, n))


@pytest.mark.parametrize("room", [True, False])
def test_a_full_ring_drops_marks_and_counts_them(room):
    class Ring(object):
        dropped = 0

        def count(self, reason, n):
            self.dropped += n

    values = Values()
    values.pid, values.ring, values.buffer, put = os.getpid(), Ring(), memoryview(bytearray(1024)), []
    values._division = type("Division", (), {"area": Area(room)})
    values._put = lambda *record: put.append(record) or 7
    marks = _marks.Marks()
    marks.begins(_marks.DATA)
    assert values.marks(marks.list, 5, WALL, -1, True) is room
    assert (values.ring.dropped, len(put)) == ((0, 1) if room else (1, 0))
    if room:
        assert put[0][0] == _wire.MARKS and put[0][3] == _wire.FINAL and put[0][7:9] == (64, 32)
        assert struct.unpack_from("<4q", values.buffer, 64) == (WALL, 5, -1, marks.list[0])
        assert values._division.area.published == [(64, 7)]
