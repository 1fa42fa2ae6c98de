"""How the data area is divided: frames of one layout, and a free area.

    0 ........ frames of layouts ........ | ........ free area ........ use

A frame is one slot of a layout: room for all its tensors, in an order that
never changes, so that the hook can keep views of it ready. The free area is for
what comes irregularly; it is handed out in a circle. A place is used again only
when the agent has consumed the record that pointed to it.
"""

import collections
import time

from vigil import _wire

ALIGN = 64
# Frames of one layout: at least SLOTS; small ones as many as SLOT_BYTES hold, so that short steps do
# not outrun an agent that looks every few milliseconds.
SLOTS, MOST_SLOTS, SLOT_BYTES = 4, 64, 8 << 20
MIN_AREA = 4 << 20
ABANDONED = 30.0  # seconds after which what was given and never published is taken back


def align(n):
    return (n + ALIGN - 1) & -ALIGN


class Division(object):
    """Who has which part of the data area. One per ring."""

    def __init__(self, ring):
        self.ring = ring
        self.use = 0
        self.wanted = 0
        self.layouts = []
        self.released = []  # what no layout and not the free area has any more, and was not consumed yet: (start, end, record after which it is free)
        self.next_id = 0
        self.area = Area(ring, 0, 0)

    def set_use(self, use):
        """Use ``use`` bytes from now on, or once the present layouts are released."""
        self.wanted = min(int(use), self.ring.bytes) & -4096
        if not self.layouts:
            self._apply()

    def layout(self, entries):
        """A Layout for entries [(tensor id, bytes)], or None when not even one frame fits."""
        if not self.layouts:
            self._apply()
        offsets = []
        at = 0
        for _, nbytes in entries:
            offsets.append(at)
            at = align(at + nbytes)
        stride = align(max(at, ALIGN) + len(entries))
        start, slots = self._gap(stride)
        if slots < 1 or not entries:
            return None
        layout = Layout(self, self.next_id, list(entries), offsets, at, start, stride, slots)
        self.next_id += 1
        for a, b, record in self._unread(self.released + [self._given(b) for b in list(self.area.blocks)]):
            for i in range(max(a - start, 0) // stride, min((b - start + stride - 1) // stride, slots)):
                layout.used[i] = max(layout.used[i], record)
        self.layouts.append(layout)
        self._bound()
        return layout

    def _gap(self, stride):
        """(start, slots) of the first place between the layouts with room for the most frames of ``stride`` bytes."""
        best = (0, 0)
        start = 0
        ends = [(l.start, l.end) for l in sorted(self.layouts, key=lambda l: l.start)]
        for a, b in ends + [(self.use - self._least_area(), 0)]:
            slots = min(max(SLOTS, min(MOST_SLOTS, SLOT_BYTES // stride)), (a - start) // stride)
            if slots > best[1]:
                best = (start, slots)
            start = max(start, b)
        return best

    def _least_area(self):
        return min(max(self.use // 8, MIN_AREA), self.use // 2) & -4096

    def _apply(self):
        if self.wanted != self.use:
            self.use = self.wanted
        self._bound()

    def _bound(self):
        """Give the free area what the layouts leave."""
        start = (max([l.end for l in self.layouts] or [0]) + 4095) & -4096
        end = max(self.use, start)
        blocks = list(self.area.blocks)
        if (start, end) == (self.area.start, self.area.end):
            self.released = self._unread(self.released)
            return
        moved = [b for b in blocks if b[0] >= start and b[1] <= end]  # these may still be published
        self.released = self._unread(self.released + [self._given(b) for b in blocks if b[0] < start or b[1] > end])
        now = time.monotonic()
        kept = [[max(a, start), min(b, end), record, now] for a, b, record in self.released if a < end and b > start]
        self.area = Area(self.ring, start, end, sorted(kept + moved, key=lambda b: b[0]))

    def _given(self, block):
        """(start, end, record after which it is free) of what the free area gave."""
        return block[0], block[1], self.ring.head + 1 if block[2] is None else block[2]

    def _unread(self, ranges):
        """Those of (start, end, record after which it is free) that the agent may still read."""
        consumed = self.ring.consumed()
        return [r for r in set(ranges) if r[2] > consumed]

    def release(self, layout):
        if layout in self.layouts:
            self.layouts.remove(layout)
            consumed = self.ring.consumed()
            # Frame by frame: most were never used, and the next layout has its first due step at once.
            self.released += [(base, base + layout.stride, used) for base, used in zip(layout.slots, layout.used) if used > consumed]


class Layout(object):
    """Frames of one layout: ``offsets`` of the entries in a frame, ``bytes`` of a frame,
    ``slots``: where each frame begins in the buffer."""

    __slots__ = ("division", "ring", "id", "entries", "offsets", "bytes", "start", "stride", "slots", "end", "used", "busy", "open")

    def __init__(self, division, id, entries, offsets, nbytes, start, stride, slots):
        self.division = division
        self.ring = division.ring
        self.id = id
        self.entries = entries
        self.offsets = offsets
        self.bytes = nbytes
        self.start = start
        self.stride = stride
        self.slots = [start + i * stride for i in range(slots)]
        self.end = start + slots * stride
        self.used = [0] * slots  # the record count at which the slot is free again
        self.busy = [0.0] * slots  # when it was acquired, until it is published
        self.open = False

    def acquire(self, wait_s=None):
        """Index of a free slot, or None after the bounded wait. Follow with publish or cancel.

        It is the first one that is free: memory that was written before is warm,
        and a slot that is never needed takes none.
        """
        i = self._free()
        if i is None:
            i = self._wait(wait_s)
            if i is None:
                return None
        self.open = False
        self.busy[i] = time.monotonic()
        return i

    def is_free(self):
        """Whether ``acquire`` would give a slot without waiting."""
        return self._free() is not None

    def _free(self):
        """Index of the first slot that is free now, or None."""
        if self.ring.closed:
            return None
        consumed = self.ring.consumed()
        for i, used in enumerate(self.used):
            if used <= consumed and not self.busy[i]:
                return i
        return None

    def _wait(self, wait_s):
        found = []

        def there():
            consumed = self.ring.consumed()
            old = time.monotonic() - ABANDONED
            for i, used in enumerate(self.used):
                if (not self.busy[i] or self.busy[i] <= old) and used <= consumed:
                    found.append(i)
                    return True
            return False

        if not self.ring.wait_for(there, self, wait_s):
            return None
        return found[0]

    def cancel(self, slot):
        """Give an acquired slot back without publishing it."""
        self.busy[slot] = 0.0

    def publish(self, slot, step, mode, mode_step, present=None):
        """Publish the frame in ``slot``. ``present``: one byte per entry, 1 for what was copied; None: all were.

        True when there was room for the record.
        """
        try:
            nbytes = self.bytes
            flags = 0
            offset = self.slots[slot]
            if present is not None:
                if len(present) != len(self.entries):
                    raise ValueError("publish a frame: %d presence bytes for %d entries" % (len(present), len(self.entries)))
                self.ring.buffer[offset + nbytes : offset + nbytes + len(present)] = bytes(present)
                nbytes += len(present)
                flags = _wire.PARTIAL
            n = self.ring.put(_wire.FRAME, mode, 0, flags, self.id, step, mode_step, offset, nbytes, 0.0, 0)
            if n is None:
                return False
            self.used[slot] = n + 1
            return True
        finally:
            self.busy[slot] = 0.0

    def taken(self):
        """Whether its place is still its own: it was not released."""
        return self in self.division.layouts

    def release(self):
        """No longer used; its place goes to the next layout."""
        self.division.release(self)


class Area(object):
    """The free area: memory handed out in a circle, taken back in the order it was given. ``blocks``: what is in use from the start, by offset."""

    def __init__(self, ring, start, end, blocks=()):
        self.ring = ring
        self.start = start
        self.end = end
        self.bytes = end - start
        self.blocks = collections.deque(blocks)  # [offset, end, record count or None, time], oldest first
        self.given = {b[0]: b for b in blocks}
        self.at = max([start] + [b[1] for b in blocks])
        self.open = False

    def alloc(self, nbytes, wait_s=None):
        """Offset of nbytes, or None."""
        need = align(max(nbytes, 1))
        if need > self.bytes:
            return None
        offset = self._take(need)
        if offset is None:
            got = []

            def there():
                offset = self._take(need)
                if offset is not None:
                    got.append(offset)
                return offset is not None

            if not self.ring.wait_for(there, self, wait_s):
                return None
            offset = got[0]
        self.open = False
        block = [offset, offset + need, None, time.monotonic()]
        self.blocks.append(block)
        self.given[offset] = block
        self.at = offset + need
        return offset

    def room(self, nbytes):
        """Whether alloc would give so many bytes at once."""
        return self._take(align(max(nbytes, 1))) is not None

    def _take(self, need):
        ring = self.ring
        if ring.closed:
            return None
        consumed = ring.consumed()
        blocks = self.blocks
        while blocks:
            record = blocks[0][2]
            if record is None:
                if time.monotonic() - blocks[0][3] < ABANDONED:
                    break
            elif record > consumed:
                break
            block = blocks.popleft()
            if self.given.get(block[0]) is block:
                del self.given[block[0]]
        if not blocks:
            return self.start  # pages that are mapped, and warm in the caches
        oldest = blocks[0][0]
        if self.at > oldest:  # used: oldest..at; free: at..end and start..oldest
            if self.end - self.at >= need:
                return self.at
            if oldest - self.start >= need:
                return self.start
            return None
        return self.at if oldest - self.at >= need else None

    def publish(self, offset, n):
        """Record number n points to what was given at offset; None: nothing does, it is free."""
        block = self.given.get(offset)
        if block is not None:
            block[2] = 0 if n is None else n + 1

    def block(self, offset):
        """What was given at offset, for ``again``."""
        return self.given.get(offset)

    def again(self, block, put):
        """Have put() publish one more record that points to a block; its number or None. False when the block was taken back."""
        published = block[2]
        if published is None:
            return False
        block[3] = time.monotonic()
        block[2] = None  # from now on no other thread takes it back
        if self.given.get(block[0]) is not block:
            return False
        n = None
        try:
            n = put()
        finally:
            block[2] = published if n is None else n + 1
        return n
