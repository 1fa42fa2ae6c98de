"""Marks: from which moment on the training thread did what.

A mark is one integer, the nanoseconds of this process's clock and what begins or
ends then; what comes of them is worked out by the agent (docs/protocol.md,
section 4.3). Where several things have begun, the time is that of the last one.
"""

import array
import threading
import time

from vigil import _device_clock, _guard

DATA, TO_DEVICE, FORWARD, BACKWARD, RANKS, OPTIMIZER, CHECKPOINT, OTHER = range(8)  # parts of a step
END = 0x10  # added to a part: it ends
STEP = 0x20  # plus the mode; two integers follow: the step, and its number in the mode
LATE = 0x04  # added to STEP: the step was over when the last part that makes steps of its mode ended
LOADER = 0x30  # a loader has given its first batch; two integers follow: its number, and when it was asked for one
UNKNOWN = 0x40  # what was going on before is not known

SEND_NS = 250 * 1000000  # from one batch of marks to the next
MANY = 16384  # integers that are sent without waiting for that
MOST = 65536  # that are kept while there is nowhere to send them

_now = time.perf_counter_ns
_thread = threading.get_ident


class Marks(object):
    """The marks of one process. ``thread``: the one that trains; what others do is no part of a step."""

    def __init__(self, now=_now, wall=time.time_ns):
        self.thread = threading.main_thread().ident
        self.zero = zero = now()
        self.wall = wall()  # at zero
        self.list = array.array("q")
        self.first = 0  # integers before those of the list
        self.since = -1  # when the step ended after which the list begins, if it does so after one
        self.sent = zero  # when the last batch was
        self.session = None  # where they go
        self.closed = False
        self.loaders = []  # (number, settings) of those that nobody was told of
        self.device = None  # the clock of the device that trains (vigil._device_clock)
        self.beside = None  # function (session, whether it is the last time): called before marks are sent
        put, me = self.list.append, self
        self.now = now

        def begins(part):
            """From now on the thread does this."""
            if _thread() == me.thread:
                put((now() - zero) << 8 | part)
                if me.device is not None:
                    me.noted()

        def ends(part):
            """It goes on with what it did before."""
            if _thread() == me.thread:
                put((now() - zero) << 8 | part | END)
                if me.device is not None:
                    me.noted()

        self.begins, self.ends, self.put = begins, ends, put

    def step(self, mode, late, number, mode_step):
        """A step closes; late: it was over before."""
        if self.closed:
            return
        now = self.now()
        at = now - self.zero
        self.put(at << 8 | STEP | mode | (LATE if late else 0))
        if self.device is not None:
            self.noted()
        self.put(number)
        self.put(mode_step)
        if now - self.sent > SEND_NS or len(self.list) > MANY:
            self._send_steps(now)

    @_guard.guard
    def noted(self):
        """The device that trains is to say when it got to the last mark."""
        self.device.note(self.first + len(self.list) - 1)

    @_guard.guard
    def _send_steps(self, now):
        """Send the steps that have ended, on the device, too."""
        n = len(self.list)
        if self.device is not None:
            n = self.device.replace(self.list, self.first)
            if self.device.late() or len(self.list) > MOST:
                self.device.drop()
                n = len(self.list)
            elif n == 0:
                self.sent = now
                return
        closed = self.list[n - 3]
        self._send(n)
        if not closed & LATE:
            self.since = closed >> 8

    def loader(self, number, asked):
        """A loader that was told as this number has given its first batch."""
        if _thread() == self.thread:
            self.put((self.now() - self.zero) << 8 | LOADER)
            self.put(number)
            self.put(asked - self.zero)

    def tell(self, number, facts):
        """A loader of this number has these settings."""
        if self.session is not None:
            self.session.loader(number, facts)
        elif not self.closed:
            self.loaders.append((number, facts))

    def trim(self):
        """Where much happens and no step closes, the list does not grow for ever."""
        if len(self.list) > MOST:
            self.send()

    @_guard.guard
    def send(self, last=False):
        """Send what is in the list; without a session it is forgotten."""
        if self.device is not None:
            self.device.replace(self.list, self.first)
            self.device.drop()
        self._send(len(self.list), last)

    def _send(self, n, last=False):
        """Send the first n integers of the list."""
        session, self.sent = self.session, self.now()
        if session is not None and self.beside is not None:
            self.beside(session, last)
        if session is not None and (n or last):
            session.marks(self.list if n == len(self.list) else self.list[:n], self.first, self.wall, self.since, last)
        self._empty(n)
        if session is None and not self.closed:
            self.first = 0
            self.put((self.sent - self.zero) << 8 | UNKNOWN)

    def goes_to(self, session):
        """There is a session now."""
        if session.takes_marks:
            self.session = session
            for number, facts in self.loaders:
                session.loader(number, facts)
            self.loaders = []
        else:
            self.close()

    def runs_on(self, device):
        """The training runs on a device that takes its time (vigil._torch.device), None for the CPU."""
        if device is not None and not self.closed:
            self.device = _device_clock.DeviceClock(device)

    def trains_in(self, thread):
        """The thread that trains is another one than was thought."""
        if thread != self.thread and not self.closed:
            self.thread = thread
            self.put((self.now() - self.zero) << 8 | UNKNOWN)

    def close(self):
        """Nothing is noted any more."""
        self.closed = True
        self.session = self.thread = self.device = None
        self.loaders = []
        self._empty(len(self.list))

    def forget(self):
        """In a forked child: nothing has happened in it yet."""
        self._empty(len(self.list))
        self.first = 0
        self.session = self.device = None
        self.closed = False
        self.loaders = []
        self.thread = _thread()

    def _empty(self, n):
        self.since = -1
        self.first += n
        del self.list[:n]
