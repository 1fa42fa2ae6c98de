"""Times of marks on a device (vigil._device_clock): a made-up device that works behind the host, by a clock of its own."""

import array

import pytest

from vigil import _device_clock, _marks

MS = 1000000


class Event(object):
    def __init__(self, device):
        self.device = device

    def query(self):
        self.device.asked += 1
        return self.at <= self.device.host.ns

    def elapsed_time(self, later):
        assert self.query() and later.query(), "an event was read that the device has not passed"
        return (later.at - self.at) * self.device.speed / MS


class Device(object):
    """Its work is over at ``busy_until``; an event is passed then."""

    def __init__(self, host, speed=1.0):
        self.host, self.speed, self.busy_until, self.recording, self.asked, self.events, self.takes = host, speed, 0, False, 0, 0, 0

    def work(self, ns):
        self.busy_until = max(self.busy_until, self.host.ns) + ns

    def may_ask(self):
        return not self.recording

    def event(self, free):
        if self.recording:
            return None
        self.host.ns += self.takes
        self.events += not free
        event = free.pop() if free else Event(self)
        event.at = max(self.busy_until, self.host.ns)
        return event


class Host(object):
    ns = 0

    def __call__(self):
        return self.ns


class Session(object):
    takes_marks = True

    def __init__(self):
        self.sent, self.next = array.array("q"), 0

    def marks(self, numbers, first, wall, since, last=False):
        assert first == self.next, "integers are missing"
        self.next += len(numbers)
        self.sent.extend(numbers)


class Training(object):
    """Steps whose host hands work over and whose device does it."""

    def __init__(self, **device):
        self.host = Host()
        self.device = Device(self.host, **device)
        self.marks = _marks.Marks(self.host, lambda: 0)
        self.session = Session()
        self.marks.goes_to(self.session)
        self.marks.device = self.clock = _device_clock.DeviceClock(self.device, self.host)
        self.steps = 0

    def part(self, kind, host_ns, device_ns):
        self.marks.begins(kind)
        self.host.ns += host_ns
        self.device.work(device_ns)
        self.marks.ends(kind)

    def step(self, data, forward, backward, waits=False):
        """One with (host, device) milliseconds for each part; waits: the script reads the loss."""
        for kind, (host_ms, device_ms) in zip((_marks.DATA, _marks.FORWARD, _marks.BACKWARD), (data, forward, backward)):
            self.part(kind, int(host_ms * MS), int(device_ms * MS))
        if waits:
            self.host.ns = max(self.host.ns, self.device.busy_until)
        self.marks.step(0, False, self.steps, self.steps)
        self.steps += 1

    def parts(self):
        """Milliseconds of each part of the steps that were sent."""
        out, open_, last, numbers = {}, [], 0, iter(self.session.sent)
        for v in numbers:
            at, kind = max(v >> 8, last), v & 0xFF
            name = open_[-1] if open_ else "other"
            out[name] = out.get(name, 0) + (at - last) / MS
            last = at
            if kind & 0xF0 == _marks.STEP:
                next(numbers), next(numbers)
            elif kind & _marks.END:
                open_.remove({0: "data", 2: "forward", 3: "backward"}[kind & 7])
            else:
                open_.append({0: "data", 2: "forward", 3: "backward"}[kind])
        return out


def shares(training):
    parts = training.parts()
    return {name: parts.get(name, 0) / sum(parts.values()) for name in ("data", "forward", "backward", "other")}


@pytest.mark.parametrize("speed", [1.0, 1.0 + 1e-5, 1.0 - 1e-5])
def test_a_device_that_lags(speed):
    """The host is far ahead: its clock would say that all time is data's."""
    training = Training(speed=speed)
    for n in range(300):
        training.step((2, 0), (1, 10), (1, 20), waits=n % 100 == 99)
    training.host.ns += 10**10
    training.marks.send(True)
    found = shares(training)
    assert found["forward"] == pytest.approx(1 / 3, abs=0.02) and found["backward"] == pytest.approx(2 / 3, abs=0.02)
    assert sum(training.parts().values()) == pytest.approx(300 * 30, rel=0.01)
    assert training.device.events < 1000, "events are used again"


def test_a_device_that_waits_for_data():
    training = Training()
    for _ in range(100):
        training.step((30, 0), (1, 4), (1, 6), waits=True)
    training.marks.send(True)
    assert shares(training) == pytest.approx({"data": 30 / 41, "forward": 5 / 41, "backward": 6 / 41, "other": 0}, abs=0.01)  # the device gets its work when the host is done


def test_only_whole_steps_are_sent():
    training = Training()
    for _ in range(40):
        training.step((1, 0), (5, 50), (5, 100))
    sent = training.session.sent
    assert len(sent) and sent[-3] & 0xF0 == _marks.STEP and len(sent) < 40 * 9
    assert all(v >> 8 <= training.host.ns for i, v in enumerate(sent) if i % 9 < 7), "the device has passed all that was sent"


def test_a_device_that_stands_still():
    """Marks do not wait for it for ever: they keep the host's times."""
    training = Training()
    training.device.work(10**13)
    for _ in range(400):
        training.step((10, 0), (10, 0), (20, 0))
    assert training.session.next > 200 * 9
    assert shares(training)["backward"] == pytest.approx(0.5, abs=0.02)


def test_while_a_graph_is_recorded():
    """No event is put into the stream, and none is looked at."""
    training = Training()
    training.step((10, 0), (10, 50), (20, 50))
    training.device.recording, asked = True, training.device.asked
    for _ in range(50):
        training.step((10, 0), (10, 0), (20, 0))
    assert training.device.asked == asked
    training.device.recording = False
    for _ in range(50):
        training.step((10, 0), (10, 0), (20, 0))
    training.marks.send(True)
    assert training.session.next == training.marks.first and sum(training.parts().values()) == pytest.approx(101 * 40, rel=0.02)


def test_events_that_cost_too_much():
    """In short steps the host's clock counts; later it is tried again."""
    training = Training()
    training.device.takes = 20000
    for _ in range(1000):
        training.step((0.5, 0), (0.5, 0), (1, 0))
    assert training.clock.off_until is not None and not training.clock.waiting
    training.device.takes = 0
    training.host.ns += _device_clock.PAUSE_NS
    for _ in range(1000):
        training.step((0.5, 0), (0.5, 0), (1, 0))
    assert training.clock.off_until is None and training.clock.last is not None


def test_a_host_that_is_made_to_wait():
    """A queue that is full keeps the host from giving more work: events that wait for room cost nothing."""
    training = Training()
    for n in range(200):
        training.device.takes = 20 * MS if n % 10 == 0 else 1000
        training.step((0, 0), (1, 50), (1, 50))
    assert training.clock.off_until is None


@pytest.mark.parametrize("call", ["event", "may_ask"])
def test_a_device_that_fails(call, monkeypatch):
    """One error is reported, and the marks go on by the host's clock."""
    training, errors = Training(), []
    training.step((10, 0), (10, 0), (20, 0))
    monkeypatch.setattr("vigil._guard.failed", lambda where, error: errors.append(str(error)))

    def fails(*_):
        raise RuntimeError("device lost")

    setattr(training.device, call, fails)
    for _ in range(100):
        training.step((10, 0), (10, 0), (20, 0))
    training.marks.send(True)
    assert errors == ["device lost"]
    assert sum(training.parts().values()) == pytest.approx(101 * 40, rel=0.01)


def test_a_fork_has_no_device():
    training = Training()
    training.step((1, 0), (1, 1), (1, 1))
    training.marks.forget()
    assert training.marks.device is None
