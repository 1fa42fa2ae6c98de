"""Dividing the data area: frames, the free area, and reuse only after consumption."""

import os
import random

import fakeagent
import pytest

from vigil import _layout, _ring, _wire

MIB = 1 << 20


def division(data, use=None, slots=64):
    fd = fakeagent.make_ring(slots=slots, data=data)
    ring = _ring.Ring(fd)
    ring.wait = 0.0
    made = _layout.Division(ring)
    made.set_use(data if use is None else use)
    return made, ring, fakeagent.Reader(os.dup(fd))


def test_offsets_are_aligned_and_do_not_overlap():
    made, _, _ = division(MIB)
    entries = [(7, 1), (8, 64), (9, 65), (3, 0), (4, 4000)]
    layout = made.layout(entries)
    assert layout.offsets == [0, 64, 128, 256, 256]
    assert layout.bytes == 256 + 4032
    assert len(layout.slots) == _layout.MOST_SLOTS
    ends = layout.slots + [layout.end]
    for a, b in zip(ends, ends[1:]):
        assert a % 64 == 0 and b - a >= layout.bytes + len(entries)
    assert made.area.start >= layout.end and made.area.end == MIB


@pytest.fixture
def four_slots(monkeypatch):
    monkeypatch.setattr(_layout, "MOST_SLOTS", 4)


@pytest.mark.parametrize(
    "use, frame, slots",
    [
        (64 * MIB, MIB, 7),
        (64 * MIB, 4 * MIB, 4),
        (64 * MIB, 1000, 64),
        (64 * MIB, 20 * MIB, 2),
        (64 * MIB, 50 * MIB, 1),
        (64 * MIB, 60 * MIB, None),  # the free area keeps an eighth
        (6 * MIB, 2 * MIB, 1),  # a small ring: half of it is free area
        (6 * MIB, 4 * MIB, None),
        (0, 64, None),
    ],
)
def test_number_of_slots(use, frame, slots):
    made, _, _ = division(64 * MIB, use)
    layout = made.layout([(0, frame)])
    assert (layout and len(layout.slots)) == slots
    if layout is None:
        assert made.area.bytes == use  # without frames all of it is free area


def test_frames_are_reused_only_when_consumed(four_slots):
    made, ring, reader = division(MIB)
    layout = made.layout([(0, 100), (1, 8)])
    seen = []
    for step in range(3):
        for i in range(4):
            slot = layout.acquire()
            base = layout.slots[slot]
            ring.buffer[base : base + 100] = bytes([step * 4 + i]) * 100
            assert layout.publish(slot, step, 0, step)
        assert layout.acquire() is None  # nobody has read
        seen += [(data[0], len(data)) for _, data in reader.read()]
    assert seen == [(n, layout.bytes) for n in range(12)]


def test_an_acquired_slot_is_not_given_twice(four_slots):
    made, _, _ = division(MIB)
    layout = made.layout([(0, 100)])
    slots = [layout.acquire() for _ in range(4)]
    assert sorted(slots) == [0, 1, 2, 3] and layout.acquire() is None
    layout.cancel(2)
    assert layout.acquire() == 2


def test_memory_that_was_written_before_is_used_again(four_slots):
    made, ring, reader = division(MIB)
    layout = made.layout([(0, 100)])
    for step in range(3):
        slot = layout.acquire()
        assert slot == 0 and layout.publish(slot, step, 0, step)
        reader.read()  # the agent keeps up: no other slot is ever touched
    late = [layout.acquire() for _ in range(2)]
    assert late == [0, 1]


def test_partial_frame():
    made, ring, reader = division(MIB)
    layout = made.layout([(0, 100), (1, 8), (2, 4)])
    slot = layout.acquire()
    assert layout.publish(slot, 5, 1, 3, present=bytes([1, 0, 1]))
    ((record, data),) = reader.read()
    assert record[:6] == (_wire.FRAME, 1, 0, _wire.PARTIAL, layout.id, 5)
    assert record[8] == layout.bytes + 3 and data[-3:] == bytes([1, 0, 1])
    with pytest.raises(ValueError, match="2 presence bytes for 3 entries"):
        layout.publish(layout.acquire(), 5, 1, 3, present=b"\1\1")


def test_the_next_layout_does_not_write_over_unread_frames():
    made, ring, reader = division(MIB)
    first = made.layout([(0, 50000)])
    for _ in range(4):
        assert first.publish(first.acquire(), 1, 0, 1)
    first.release()
    second = made.layout([(0, 60000)])
    assert second.id != first.id and second.slots[0] == first.slots[0]
    assert second.acquire() == 4  # behind the four that nobody has read
    second.cancel(4)
    reader.read()
    assert second.acquire() == 0


def test_the_next_layout_may_be_used_while_one_frame_is_unread():
    """A plan changes the layouts between two due steps, of which the agent has not read the first."""
    made, ring, reader = division(MIB)
    first = made.layout([(0, 5000)])
    assert first.publish(first.acquire(), 1, 0, 1)
    offset = made.area.alloc(100)
    made.area.publish(offset, ring.put(_wire.TENSOR, 0, 2, 0, 1, 1, 1, offset, 100, 0.0, 0))
    first.release()
    second = made.layout([(0, 6000)])
    slot = second.acquire()
    assert slot == 1  # the first slot holds what is unread
    again = made.area.alloc(100)
    assert again is not None and again >= offset + 100
    second.cancel(slot)
    reader.read()
    assert second.acquire() == 0


def test_what_is_being_copied_when_layouts_change_is_not_given_again():
    made, ring, reader = division(MIB)
    first = made.layout([(0, 5000)])
    offset = made.area.alloc(100)  # a tensor on its way, of which no record says anything yet
    first.release()
    made.layout([(0, 100)])
    assert made.area.start < offset
    for step in range(3):  # the agent reads all that there is
        ring.put(_wire.SCALAR, 0, 0, 0, 7, step, step, 0, 0, 1.0, 0)
    reader.read()
    whole = offset + 100 - made.area.start
    other = made.area.alloc(whole)
    assert other + whole <= offset or offset + 100 <= other
    made.area.publish(offset, ring.put(_wire.TENSOR, 0, 2, 0, 0, 1, 1, offset, 100, 0.0, 0))
    assert made.area.block(offset)[2] == ring.head


def test_nothing_unread_is_written_over_when_layouts_change():
    """Random layouts, values, tensors of the free area and reading: what the agent reads is what was written."""
    random.seed(5)
    made, ring, reader = division(1 << 18, slots=1024)
    layouts, count = [], {"frame": 0, "tensor": 0, "read": 0}

    def fill(offset, n, key):
        ring.buffer[offset : offset + n] = bytes([key % 251]) * n

    for i in range(20000):
        what = random.random()
        if what < 0.03 and layouts:
            layouts.pop(random.randrange(len(layouts))).release()
        elif what < 0.04:
            for layout in layouts:
                layout.release()
            layouts = []
            made.set_use(random.choice([1 << 17, 1 << 18]))
        elif what < 0.1 and len(layouts) < 4:
            layout = made.layout([(0, random.choice([64, 1000, 9000]))])
            layouts += [layout] if layout else []
        elif what < 0.5 and layouts:
            layout = random.choice(layouts)
            slot = layout.acquire()
            if slot is not None:
                fill(layout.slots[slot], layout.bytes, i)
                assert layout.publish(slot, i, 0, i)
                count["frame"] += 1
        elif what < 0.9:
            n = random.choice([1, 64, 3000, 20000])
            offset = made.area.alloc(n)
            if offset is not None:
                fill(offset, n, i)
                made.area.publish(offset, ring.put(_wire.TENSOR, 0, 2, 0, 0, i, i, offset, n, 0.0, 0))
                count["tensor"] += 1
        else:
            for record, data in reader.read():
                assert data == bytes([record[5] % 251]) * record[8]
                count["read"] += 1
    assert min(count.values()) > 1000, count


def test_layouts_side_by_side():
    made, _, _ = division(8 * MIB)
    a, b = made.layout([(0, 1000)]), made.layout([(1, 1000)])
    assert b.start >= a.end and made.area.start >= b.end
    a.release()
    c = made.layout([(2, 900)])
    assert c.start == a.start and c.end <= b.start


def test_use_changes_when_the_layouts_are_released():
    made, _, _ = division(8 * MIB)
    layout = made.layout([(0, 1000)])
    made.set_use(2 * MIB)
    assert made.area.end == 8 * MIB
    layout.release()
    made.layout([(0, 1000)])
    assert made.area.end == 2 * MIB


def test_area_in_a_circle():
    """Random sizes, random reading: no block is handed out while an unread record points to it."""
    random.seed(3)
    made, ring, reader = division(1 << 16, slots=1024)
    area = made.area
    live = {}
    given = 0
    for i in range(5000):
        n = random.choice([0, 1, 64, 100, 5000, 20000])
        offset = area.alloc(n)
        if offset is None:
            for record, data in reader.read():
                assert data == bytes([record[5] % 251]) * record[8]
                del live[record[5]]
            continue
        given += 1
        assert offset % 64 == 0 and area.start <= offset and offset + n <= area.end
        for a, b in live.values():
            assert offset + n <= a or b <= offset or n == 0
        ring.buffer[offset : offset + n] = bytes([i % 251]) * n
        if random.random() < 0.1:
            area.publish(offset, None)  # given back
            continue
        area.publish(offset, ring.put(_wire.TENSOR, 0, 2, 0, 0, i, i, offset, n, 0.0, 0))
        live[i] = (offset, offset + n)
    assert given > 1000


def test_area_refuses_what_cannot_fit_at_once():
    made, ring, _ = division(1 << 16)
    ring.wait = 100.0
    assert made.area.alloc((1 << 16) + 1) is None


def test_a_block_with_a_second_record():
    """A block that another record points to is given again only when both are read; one that was taken back has no second record."""
    made, ring, reader = division(4096)
    area = made.area

    def put(number, offset):
        return ring.put(_wire.TENSOR, 0, 2, 0, number, 0, 0, offset, 1000, 0.0, 0)

    first = area.alloc(4096)
    block = area.block(first)
    assert area.again(block, lambda: put(1, first)) is False, "nothing was published there yet"
    area.publish(first, put(0, first))
    next(iter(reader.read()))
    assert area.again(block, lambda: put(1, first)) == 1
    assert area.alloc(64) is None
    assert [record[4] for record, _ in reader.read()] == [1]
    assert area.alloc(64) == first
    assert area.again(block, lambda: put(2, first)) is False


def test_an_abandoned_block_comes_back(monkeypatch):
    made, ring, _ = division(1 << 16)
    assert made.area.alloc(1 << 16) is not None
    assert made.area.alloc(64) is None
    now = _layout.time.monotonic()
    monkeypatch.setattr(_layout.time, "monotonic", lambda: now + _layout.ABANDONED + 1)
    assert made.area.alloc(64) is not None


def test_an_abandoned_slot_comes_back(monkeypatch, four_slots):
    made, _, _ = division(MIB)
    layout = made.layout([(0, 100)])
    for _ in range(4):
        layout.acquire()
    assert layout.acquire() is None
    now = _layout.time.monotonic()
    monkeypatch.setattr(_layout.time, "monotonic", lambda: now + _layout.ABANDONED + 1)
    assert layout.acquire() is not None


def test_a_frame_that_cannot_be_published_gives_its_slot_back():
    made, _, reader = division(MIB)
    layout = made.layout([(0, 100)])
    for _ in range(10):
        with pytest.raises(Exception):  # noqa: B017  whatever refuses the step first
            layout.publish(layout.acquire(), "no step", 0, 0)
    assert layout.publish(layout.acquire(), 1, 0, 1) and len(reader.read()) == 1
