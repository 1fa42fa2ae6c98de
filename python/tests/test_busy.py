"""A busy machine: what others take of the processor is no cost of capture, and silences none."""

import pytest

from vigil import _schedule as schedule

US = 1000  # nanoseconds


class Machine(object):
    """Clocks of a thread that is kept from running now and then."""

    def __init__(self):
        self.now = self.ran = self.waited = 0

    def runs(self, us):
        self.now += us * US
        self.ran += us * US

    def is_kept(self, us):
        self.now += us * US

    def waits_for_agent(self, us):
        self.now += us * US
        self.waited += us * US


def _away(machine):
    return schedule.Away(lambda: machine.now, lambda: machine.ran)


# What happens within a capture, and the microseconds that are taken from its cost.
@pytest.mark.parametrize(
    "events,want",
    [
        ([("runs", 300)], 0),
        ([("runs", 100), ("is_kept", 5000), ("runs", 200)], 5000),
        ([("runs", 100), ("waits_for_agent", 700)], 0),
        ([("is_kept", 40), ("waits_for_agent", 700), ("is_kept", 2)], 42),
        ([], 0),
    ],
)
def test_away(events, want):
    machine = Machine()
    away = _away(machine)
    away.begins(machine.waited)
    for what, us in events:
        getattr(machine, what)(us)
    away.ends(machine.waited)
    machine.is_kept(10000)  # between captures nothing counts
    assert away.take(machine.waited) == want * US
    assert away.take(machine.waited) == 0


def test_away_of_a_step_that_closes_within_a_capture():
    machine = Machine()
    away = _away(machine)
    away.ends(machine.waited)  # none has begun
    away.begins(machine.waited)
    machine.is_kept(30)
    assert away.take(machine.waited) == 30 * US
    machine.runs(5)
    machine.is_kept(7)  # publishing, which belongs to the next step
    away.ends(machine.waited)
    assert away.take(machine.waited) == 7 * US
    away.begins(machine.waited)
    machine.is_kept(50)
    away.begins(machine.waited)  # what came before was setting up
    away.ends(machine.waited)
    assert away.take(machine.waited) == 0


def _looks(step, capture, kept, waited=0, busy=1.0, steps=300):
    """Steps that are captured of a job: ``kept`` microseconds others have the processor in every capture, ``waited`` the agent; steps take ``busy`` times as long."""
    machine = Machine()
    auto, away = schedule.Auto(0.02), _away(machine)
    looks = 0
    for n in range(steps):
        due = n % auto.interval == 0
        own = 20 * US
        if due:
            looks += 1
            away.begins(machine.waited)
            before = machine.now
            machine.runs(capture)
            machine.is_kept(kept)
            machine.waits_for_agent(waited)
            away.ends(machine.waited)
            own += machine.now - before
        own -= away.take(machine.waited)
        auto.add(step * busy * 1e-6 + own * 1e-9, own, schedule.OURS if due else schedule.NOTHING)
    return looks


# Lengths in microseconds of a step and of a capture, and of what others take in each capture.
@pytest.mark.parametrize("step,capture", [(1000, 300), (1000, 1500), (3000, 200), (20000, 2000), (20000, 40000)])
@pytest.mark.parametrize("kept", [500, 6000, 50000])
def test_others_silence_no_capture(step, capture, kept):
    calm = _looks(step, capture, 0)
    assert _looks(step, capture, kept) == calm  # steps as long as before: captures alone were hit
    assert _looks(step, capture, kept, busy=2.0) >= calm


def test_a_wait_for_the_agent_is_a_cost():
    assert _looks(3000, 200, 0, waited=4000) < _looks(3000, 200, 4000)
