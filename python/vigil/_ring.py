"""The ring in shared memory: records of 64 bytes and the data they point to.

This is the hot path. A record is one Struct.pack_into; the header's words are
read and written through a memoryview of 8-byte integers, which CPython turns
into single aligned loads and stores.
"""

import mmap
import os
import platform
import threading
import time

from vigil import _wire

_now = time.time
_pack = _wire.RECORD.pack_into
_pack_two = _wire.TWO_RECORDS.pack_into

# Machines that let stores become visible out of order need a full barrier
# before head; taking and releasing a lock is the one Python has.
_WEAK = platform.machine().lower() not in ("x86_64", "amd64", "i386", "i686")


class Ring(object):
    """A ring made by the agent, written by this process.

    ``dropped`` counts by reason the values that found no room. ``wait`` is the
    bounded wait in seconds (set from the step's length); after a wait in vain
    the breaker drops at once until there is room again.
    """

    def __init__(self, fd):
        size = os.fstat(fd).st_size
        self.fd = fd
        self.map = mmap.mmap(fd, size)
        magic, version, header, slots, records, data, nbytes = _wire.HEADER.unpack_from(self.map, 0)
        if magic != _wire.MAGIC or version != _wire.VERSION:
            raise ValueError("map the ring: header says %r version %d" % (magic, version))
        if slots <= 0 or slots & (slots - 1) or records + slots * _wire.RECORD_BYTES > size or data + nbytes > size:
            raise ValueError("map the ring: %d slots at %d and %d bytes at %d do not fit %d" % (slots, records, nbytes, data, size))
        view = memoryview(self.map)
        self.words = view[: min(header, _wire.HEADER_BYTES)].cast("Q")
        self.buffer = view[data : data + nbytes]
        self.slots = slots
        self.mask = slots - 1
        self.records = records
        self.data = data
        self.bytes = nbytes
        self.head = self.words[_wire.W_HEAD]
        self.limit = self.words[_wire.W_CONSUMED] + slots
        self.lock = threading.RLock()
        self.fence = threading.Lock() if _WEAK else None
        self.closed = False
        self.wait = 0.1
        self.waited = 0  # nanoseconds of waits, in all
        self.patience = 0.0  # seconds of longer waits that are left, while the agent may be slow to start
        self.open = False  # the breaker of the record area
        self.dropped = {}
        self._address = None

    # Publishing.

    def put(self, kind, mode, dtype, flags, id, step, mode_step, offset, nbytes, value, shape):
        """Publish a record; its number, or None when there was no room (then it is counted)."""
        with self.lock:
            n = self.head
            if n >= self.limit:
                if not self._room():
                    return None
                n = self.head  # a signal handler may have published while we waited
            _pack(
                self.map, self.records + (n & self.mask) * 64,
                kind, mode, dtype, flags, id, step, mode_step, offset, nbytes, value,
                int(_now() * 1e6), shape, (n + 1) & 0xFFFFFFFF,
            )  # fmt: skip
            if self.fence is not None:
                self.fence.acquire()
                self.fence.release()
            self.head = n + 1
            self.words[16] = n + 1  # _wire.W_HEAD
            return n

    def put_closed(self, id, step, mode_step, value, seconds, overhead_ns):
        """Publish a number of a TRAIN step and the step's end together; the number of the last record, or None when there was no room for it."""
        with self.lock:
            n = self.head
            at = n & self.mask
            if n + 2 > self.limit or at == self.mask:
                self.put(1, 0, 0, 0, id, step, mode_step, 0, 0, value, 0)
                return self.put(5, 0, 0, 0, 0, step, mode_step, 0, overhead_ns, seconds, 0)
            now = int(_now() * 1e6)
            _pack_two(
                self.map, self.records + at * 64,
                1, 0, 0, 0, id, step, mode_step, 0, 0, value, now, 0, (n + 1) & 0xFFFFFFFF,
                5, 0, 0, 0, 0, step, mode_step, 0, overhead_ns, seconds, now, 0, (n + 2) & 0xFFFFFFFF,
            )  # fmt: skip
            if self.fence is not None:
                self.fence.acquire()
                self.fence.release()
            self.head = n + 2
            self.words[16] = n + 2  # _wire.W_HEAD
            return n + 1

    def _room(self):
        """Whether the next record has a slot, after the bounded wait; else it is counted. The lock is held."""
        if self.closed:
            return False
        words = self.words

        def there():
            self.limit = words[_wire.W_CONSUMED] + self.slots
            return self.head < self.limit

        was_open = self.open
        if self.wait_for(there, self):
            return True
        self.count(_wire.BREAKER if was_open else _wire.FULL, 1)
        words[_wire.W_DROPPED] = words[_wire.W_DROPPED] + 1
        return False

    def consumed(self):
        """Number of records whose data may be overwritten."""
        return self.words[_wire.W_CONSUMED]

    # Waiting.

    def wait_for(self, there, holder, seconds=None):
        """Whether there() became true within the bounded wait.

        ``holder.open`` is the breaker of what is waited for (records, frames,
        or the free area): open after a wait in vain, and while it is open there
        is no waiting. While there is patience it is waited for longer, the
        breaker open or not, and what the wait takes is taken off.
        """
        if self.closed:
            return False
        if there():
            holder.open = False
            return True
        patience = self.patience if seconds is None else 0.0
        if holder.open and not patience:
            return False
        self.words[_wire.W_WANTED] = self.head
        began = time.monotonic()
        end = began + max(self.wait if seconds is None else seconds, patience)
        pause = 0.00005
        while True:
            now = time.monotonic()
            if patience:
                self.patience = max(patience - (now - began), 0.0)
            left = end - now
            good = left > 0
            if good:
                time.sleep(min(pause, left))
                pause = min(pause * 2, 0.002)
                if not there():
                    continue
            holder.open = not good
            self.waited += int((time.monotonic() - began) * 1e9)
            return good

    def count(self, reason, n):
        """Count n dropped values."""
        self.dropped[reason] = self.dropped.get(reason, 0) + n

    # Memory.

    def address(self):
        """Address of the data area."""
        if self._address is None:
            import ctypes

            self._address = ctypes.addressof(ctypes.c_char.from_buffer(self.buffer))
        return self._address

    def begins(self):
        """A step begins: nothing more is given to the one before."""
        self.words[21] = self.head + 1  # _wire.W_BEGUN

    def alive(self):
        """Leave a sign of life."""
        self.words[_wire.W_ALIVE] = int(_now() * 1e6)

    def ended(self):
        """Leave word that the hook closes in good order, for an agent that its last message does not reach."""
        self.words[_wire.W_ENDED] = int(_now() * 1e6)

    def abandon(self):
        """Never touch the ring again (a forked child, or an agent that refused). The memory stays mapped for views of it."""
        self.closed = True
        self.limit = 0
        fd, self.fd = self.fd, -1
        if fd >= 0:
            try:
                os.close(fd)
            except OSError:
                pass
