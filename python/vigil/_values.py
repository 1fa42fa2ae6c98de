"""What a hook publishes in the ring: scalars, frames, tensors, the end of a step."""

import os
from threading import get_ident

from vigil import _guard, _wire

ASKED_WAIT, PIECE_WAIT = 0.1, 1.0  # seconds that a tensor, or a piece of one, that the script asked for may wait for room


class Values(object):
    """The part of a Session that writes records. Needs of the rest: alive, pid, plan, buffer, ring, _put, _division, _link and the counts of steps."""

    def scalar(self, id, step, mode, mode_step, value, free=False):
        """Publish one number. True when there was room."""
        try:
            return self._put(1, mode, 0, 1 if free else 0, id, step, mode_step, 0, 0, value, 0) is not None
        except Exception as error:
            _guard.failed("Session.scalar", error)
            return False

    def step(self, step, mode, mode_step, seconds, overhead_ns, skipped=False):
        """Close a step: its length in seconds and the nanoseconds of it that the hook took."""
        try:
            if os.getpid() != self.pid:  # forked behind Python's back
                self._forked()
                return False
            self._steps[mode] = self._steps.get(mode, 0) + 1
            self.trainer = get_ident()
            self._seconds += seconds
            self._captured_ns += overhead_ns
            put = self._put(5, mode, 0, 1 if skipped else 0, 0, step, mode_step, 0, int(overhead_ns), seconds, 0)
            if not put:  # None, or record 0
                return put is not None
            if not put & 15:
                self.ring.alive()
            return True
        except Exception as error:
            _guard.failed("Session.step", error)
            return False

    def closed(self, id, value, step, mode_step, seconds, overhead_ns):
        """The loss of a TRAIN step and its end: scalar(...) and step(...) in one."""
        try:
            if os.getpid() != self.pid:
                self._forked()
                return False
            self._steps[0] = self._steps.get(0, 0) + 1
            self.trainer = get_ident()
            self._seconds += seconds
            self._captured_ns += overhead_ns
            put = self.ring.put_closed(id, step, mode_step, value, seconds, overhead_ns)
            if put is not None and put & 15 < 2:
                self.ring.alive()
            return put is not None
        except Exception as error:
            _guard.failed("Session.closed", error)
            return False

    def layout(self, entries):
        """The Layout of a frame holding entries [(tensor id, bytes)]; release the layouts it replaces before.

        None when not even one frame fits: then use alloc and tensor, or big.
        """
        try:
            if not self.alive:
                return None
            layout = self._division.layout(entries)
            if layout is None:
                return None
            items = [{"tensor": e[0], "offset": o, "nbytes": e[1]} for e, o in zip(layout.entries, layout.offsets)]
            self._link.send({"t": "layout", "id": layout.id, "bytes": layout.bytes, "at": layout.start, "entries": items}, keep=True)
            return layout
        except Exception as error:
            _guard.failed("Session.layout", error)
            return None

    def alloc(self, nbytes, wait_s=None):
        """Offset of nbytes in the free area, or None after the bounded wait. Follow with tensor(...) or free(offset)."""
        try:
            return self._division.area.alloc(nbytes, wait_s)
        except Exception as error:
            _guard.failed("Session.alloc", error)
            return None

    def free(self, offset):
        """Give back what alloc gave and will not be published."""
        try:
            self._division.area.publish(offset, None)
        except Exception as error:
            _guard.failed("Session.free", error)

    @property
    def area_bytes(self):
        """Size of the free area; a larger tensor goes with big(...)."""
        return self._division.area.bytes

    def tensor(self, id, dtype, shape, offset, nbytes, step, mode, mode_step, force_raw=False, between=False):
        """Publish the nbytes that were copied to offset. dtype: code of the element type; shape: id, 0 for the announced one; between: of a step that has closed."""
        try:
            n = self._put(2, mode, dtype, (1 if force_raw else 0) | (4 if between else 0), id, step, mode_step, offset, nbytes, 0.0, shape)
            self._division.area.publish(offset, n)
            return n is not None
        except Exception as error:
            _guard.failed("Session.tensor", error)
            return False

    def lying(self, offset):
        """What ``again`` takes to point once more to what was copied to offset of the free area."""
        return self._division.area.block(offset)

    def again(self, place, id, dtype, shape, nbytes, step, mode, mode_step):
        """Publish bytes that a record points to already under another id. False when they are not there any more."""
        try:

            def put():
                return self._put(2, mode, dtype, 0, id, step, mode_step, place[0], nbytes, 0.0, shape)

            return self._division.area.again(place, put) is not False
        except Exception as error:
            _guard.failed("Session.again", error)
            return False

    def big(self, id, dtype, shape, nbytes, copy, step, mode, mode_step, force_raw=False, wait_s=None, between=False):
        """Publish a tensor larger than the free area, in pieces.

        copy(offset, start, n) copies the tensor's bytes start..start+n to
        buffer[offset:]. True when all pieces went; a part of a tensor is dropped.
        """
        try:
            area = self._division.area
            most = max((area.bytes // 4) & -4096, 64)
            start = 0
            while start < nbytes:
                n = min(most, nbytes - start)
                offset = area.alloc(n, wait_s)
                if offset is None:
                    self.drop(id, 1, _wire.TOO_LARGE if area.bytes < n else _wire.FULL, step, mode, mode_step)
                    return False
                try:
                    copy(offset, start, n)
                except BaseException:
                    area.publish(offset, None)
                    raise
                flags = (1 if start + n == nbytes else 0) | (2 if force_raw else 0) | (4 if between else 0)
                number = self._put(4, mode, dtype, flags, id, step, mode_step, offset, n, float(start), shape)
                area.publish(offset, number)
                if number is None:
                    self.drop(id, 1, _wire.FULL, step, mode, mode_step)
                    return False
                start += n
            return True
        except Exception as error:
            _guard.failed("Session.big", error)
            return False

    def whole(self, id, dtype, shape, nbytes, copy, step, mode, mode_step, force_raw=False, between=False):
        """Publish a tensor that is in no frame: through the free area, in pieces when it is large.

        Where it lies, for ``again``; True when it went in pieces, False when it did not go.

        copy as for big. force_raw: the script asked for the values, which is
        worth a longer wait for room than what is captured unasked. between: of a
        step that has closed.
        """
        try:
            use = getattr(self.plan, "use", 0) or len(self.buffer)
            if nbytes > use // 8:
                return self.big(id, dtype, shape, nbytes, copy, step, mode, mode_step, force_raw, PIECE_WAIT if force_raw else None, between)
            offset = self.alloc(nbytes, ASKED_WAIT if force_raw else None)
            if offset is None:
                self.drop(id, 1, _wire.FULL, step, mode, mode_step)
                return False
            try:
                copy(offset, 0, nbytes)
            except BaseException:
                self.free(offset)
                raise
            return self.tensor(id, dtype, shape, offset, nbytes, step, mode, mode_step, force_raw, between) and self.lying(offset)
        except Exception as error:
            _guard.failed("Session.whole", error)
            return False

    def reduced(self, count, width, nbytes, copy, step, mode, mode_step):
        """Publish the statistics of ``count`` tensors, computed in this process over blocks of ``width`` elements (docs/protocol.md 4.1).

        copy(offset) puts the nbytes at buffer[offset:]. False when there was no room: the caller says what is dropped.
        """
        try:
            offset = self.alloc(nbytes)
            if offset is None:
                return False
            try:
                copy(offset)
            except BaseException:
                self.free(offset)
                raise
            n = self._put(_wire.REDUCED, mode, 0, 0, count, step, mode_step, offset, nbytes, 0.0, width)
            self._division.area.publish(offset, n)
            return n is not None
        except Exception as error:
            _guard.failed("Session.reduced", error)
            return False

    def marks(self, numbers, first, wall, since, last=False):
        """Publish marks (vigil._marks), an array of 8-byte integers; first: how many were before them; wall: wall-clock nanoseconds of their zero; since: when a step ended before the first of them, -1 when that was none.

        There is no waiting for room: what is lost is counted here, and missed by the agent.
        """
        try:
            if os.getpid() != self.pid:
                self._forked()
                return False
            head = _wire.MARKS_HEAD.size
            nbytes = head + 8 * len(numbers)
            offset = self.alloc(nbytes) if self._division.area.room(nbytes) else None
            if offset is None:
                self.ring.count(_wire.FULL, 1)
                return False
            try:
                _wire.MARKS_HEAD.pack_into(self.buffer, offset, wall, first, since)
                with memoryview(numbers) as view:
                    self.buffer[offset + head : offset + nbytes] = view.cast("B")
            except BaseException:
                self.free(offset)
                raise
            n = self._put(_wire.MARKS, 0, 0, _wire.FINAL if last else 0, 0, 0, 0, offset, nbytes, 0.0, 0)
            self._division.area.publish(offset, n)
            return n is not None
        except Exception as error:
            _guard.failed("Session.marks", error)
            return False

    def drop(self, id, n, reason, step, mode, mode_step):
        """Say that n values of tensor or layout id were not captured at this step; reason as in vigil._wire."""
        try:
            if not self.alive:
                return
            self.ring.count(reason, n)
            self._put(6, mode, 0, 0, id, step, mode_step, 0, n, 0.0, reason)
        except Exception as error:
            _guard.failed("Session.drop", error)
