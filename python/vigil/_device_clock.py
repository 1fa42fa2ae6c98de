"""When a device got to the marks of the training thread.

A training on a GPU hands its work over and goes on: where its time goes is seen
on the GPU. Each mark gets an event there, and once the device has passed it,
the mark's time becomes the event's. Nothing is ever waited for. Where events
would take too much of the time, which is so in steps of a few milliseconds, the
host's clock counts.
"""

import collections
import time

COST = 0.01  # share of the time that events may take
PAUSE_NS = 20 * 1000000000  # until they are tried again when they took more
PATIENCE_NS = 10 * 1000000000  # how long a device may pass nothing; marks that wait for it longer keep the host's time
MOST = 8192  # events that wait
DRIFT = 2e-5  # how fast the clocks of host and device may drift apart

_STEP = 0x20  # see vigil._marks

_now = time.perf_counter_ns


class DeviceClock(object):
    """Of one device. ``device.event(free)`` gives an event that was put into its current stream, or None where that is not allowed; ``device.may_ask()``: whether events may be looked at."""

    def __init__(self, device, now=_now):
        self.device = device
        self.now = now
        self.waiting = collections.deque()  # (number of a mark's integer, its event)
        self.free = []  # events that nobody needs any more
        self.last = None  # the one that the device passed last
        self.at = 0.0  # nanoseconds of the device between the first event and that one
        self.offset = None  # what is to be added to get the host's
        self.moved = now()  # when the device was seen to pass one, or had none to pass
        self.since = self.moved  # when the cost was looked at
        self.notes = 0  # events since then
        self.least_ns = 0  # that one of them took: others may have waited until the device took more work
        self.off_until = None  # events take too much of the time until then

    def note(self, number):
        """The mark whose integer has this number was put a moment ago."""
        if self.off_until is not None or len(self.waiting) >= MOST:
            return
        began = self.now()
        try:
            event = self.device.event(self.free)
        except Exception:
            self._stop()
            raise
        if event is not None:
            self.waiting.append((number, event))
        took = self.now() - began
        if not self.notes or took < self.least_ns:
            self.least_ns = took
        self.notes += 1

    def replace(self, integers, first):
        """Replace the times of the marks that the device has passed. integers: those of the list, the first of which has the number ``first``. Gives how many of them can be sent: up to the end of a step."""
        done, began = 0, self.now()
        if not self.waiting:
            self.moved = began
        try:
            if self.waiting and self.device.may_ask():
                while self.waiting and self.waiting[0][1].query():
                    self.moved = began
                    number, event = self.waiting.popleft()
                    i = number - first
                    mark = integers[i]
                    integers[i] = self._time(event, mark >> 8) << 8 | mark & 0xFF
                    if mark & 0xF8 == _STEP:
                        done = i + 3
        except Exception:
            self._stop()
            raise
        if not self.waiting:
            done = len(integers)
        self._look_at_cost(began)
        return done

    def _time(self, event, host):
        """When the device passed an event, by the host's clock. It cannot have done so before the host put it there."""
        if self.last is not None:
            passed = self.last.elapsed_time(event) * 1e6
            self.at += passed
            self.offset -= passed * DRIFT
            self.free.append(self.last)
        self.last = event
        if self.offset is None or host - self.at > self.offset:
            self.offset = host - self.at
        return max(int(self.at + self.offset), host)

    def _look_at_cost(self, began):
        now = self.now()
        cost_ns = self.notes * self.least_ns + now - began
        if self.off_until is not None:
            if now >= self.off_until:
                self.off_until = None
        elif cost_ns > COST * (now - self.since):
            self.off_until = now + PAUSE_NS
        self.since, self.notes = now, 0

    def _stop(self):
        """The device cannot be asked: the host's clock counts from now on."""
        self.off_until = float("inf")
        self.drop()

    def late(self):
        """Whether the device has passed nothing for longer than marks may wait."""
        return self.now() - self.moved > PATIENCE_NS

    def drop(self):
        """Marks that the device has not passed keep their times."""
        self.waiting.clear()
