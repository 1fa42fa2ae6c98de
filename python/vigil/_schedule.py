"""When what is due, and the interval that holds the overhead budget."""

import collections
import os
import time

from vigil import _guard

SERIES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
NEVER = 1 << 62
PATIENT = 20  # the first steps, in which the agent may still be starting on a busy machine
try:
    FIRST_PLAN_S = float(os.environ["VIGIL_FIRST_PLAN"])
except (KeyError, ValueError):
    FIRST_PLAN_S = 0.3  # the most that what comes first waits for the first plan, which comes within milliseconds
STRICT_PLAN_S = 60.0  # and a model in strict mode, that tests see the same on a busy machine
PATIENCE = 2.0  # seconds that they may wait for it, in all
PASSAGE = 40
NOTHING, FIXED, OURS = range(3)  # what is due at a step: OURS goes by the interval that Auto chooses


def next_due(schedule, n, auto, stride=1):
    """The first step >= n that is due in the schedule of one mode; NEVER if none is. An interval that yields is taken ``stride`` times as long."""
    best = NEVER
    for s in schedule["steps"]:
        if n <= s < best:
            best = s
    if not schedule["off"]:
        every = schedule["every"] or auto
        if schedule["yields"]:
            every *= stride
        if every > 0:
            first = max(n, schedule["start"])
            first = (first + every - 1) // every * every
            if not schedule["end"] or first < schedule["end"]:
                best = min(best, first)
    return best


class Due(object):
    """Which schedules of a plan are due at a step. A hook's publisher is one of these.

    ``used``: (index, schedule) of the plan's schedules that something goes by;
    ``auto``: the interval of those that leave it to the budget.
    """

    def __init__(self):
        self.auto = Auto()
        self.used = []
        self.ours = frozenset()  # indexes of those whose interval the budget chooses
        self.next_due = [NEVER] * 4  # by mode

    def use(self, plan, indexes):
        """Go by these schedules of a new plan."""
        if plan.budget > 0:
            self.auto.budget = plan.budget
        self.used = [(i, plan.schedules[i]) for i in sorted(indexes) if 0 <= i < len(plan.schedules)]
        self.ours = frozenset(i for i, s in self.used if not s[0]["every"] and not s[0]["off"])

    def kind(self, due):
        """What a step at which these schedules are due is for the overhead budget."""
        if not due:
            return NOTHING
        return FIXED if self.ours.isdisjoint(due) else OURS

    def interval(self, indexes):
        """Steps from one capture in training to the next of what goes by these schedules."""
        fixed = [s[0]["every"] * (self.auto.stride if s[0]["yields"] else 1) for i, s in self.used if i in indexes and s[0]["every"] and not s[0]["off"] and not s[0]["end"]]
        return min(fixed) if fixed and self.ours.isdisjoint(indexes) else self.auto.interval

    def reschedule(self, at):
        """Find the next due step of each mode, from mode step ``at[mode]`` on."""
        for mode in range(4):
            self.next_due[mode] = min([next_due(s[mode], at[mode], self.auto.interval, self.auto.stride) for _, s in self.used] or [NEVER])

    def due(self, mode, n):
        """The schedule indexes due at mode step n. Cheap when there are none."""
        if n < self.next_due[mode]:
            return None
        auto, stride = self.auto.interval, self.auto.stride
        found = frozenset(i for i, s in self.used if next_due(s[mode], n, auto, stride) == n)
        self.next_due[mode] = min([next_due(s[mode], n + 1, auto, stride) for _, s in self.used] or [NEVER])
        return found


class Auto(object):
    """Chooses the interval of schedules that leave it to the budget.

    The cost that counts is all the hook takes of the training thread, without
    the time in which others had its processor (Away): what
    every step pays, what rules with an interval of their own pay now and then,
    and what a capture at the interval pays on top, spread over it. The interval
    goes up when the budget is overdrawn by a tenth, down when a smaller one
    would leave a fifth of the budget unused; nothing changes twice within
    SETTLE steps. The first CREDIT seconds of captures are free, so that the
    beginning of a run, and a short run, is seen closely.

    On a device a capture costs more than on the CPU: it holds the device up, or
    waits for what comes from there. What that costs at intervals that rules
    chose may take half of the budget; beyond it they are taken ``stride`` times
    as long.
    """

    SETTLE = 20
    FIRST = 10
    EACH = 10  # steps between two looks
    CREDIT = 0.05

    def __init__(self, budget=0.02):
        self.budget = budget
        self.interval = self.FIRST
        self.changed_at = 0
        self.look_at = self.EACH
        self.steps = collections.deque(maxlen=63)
        self.plain = collections.deque(maxlen=31)
        self.due = collections.deque(maxlen=7)
        self.fixed = collections.deque(maxlen=15)  # (step, cost) of captures at intervals that are not ours to choose
        self.stride = 1
        self.heavy = collections.deque(maxlen=15)  # (step, cost) of what came late of those, since the stride was chosen
        self.spent = 0.0
        self.count = 0
        self.captured = 0.0
        self.seconds = 0.0

    def add(self, seconds, own_ns, due):
        """One closed step: its length, what the hook took of it, and what was due (NOTHING, FIXED or OURS). True when the interval changed."""
        self.count += 1
        own = own_ns * 1e-9
        self.captured += own
        if seconds > 0:
            self.seconds += seconds
            self.steps.append(seconds)
        if due == NOTHING:
            self.plain.append(own)
        elif due == FIXED:
            self.fixed.append((self.count, own))
        else:
            self.due.append(own)
            self.spent += own
        if self.count >= self.look_at:
            self.look_at = self.count + self.EACH
            longer = self._choose_stride()
            return self._choose() or longer
        return False

    def late(self, due, seconds):
        """The last step of this kind cost so much more than ``add`` was told."""
        self.captured += seconds
        if due == FIXED:
            self.heavy.append((self.count, seconds))
        if due == FIXED and self.fixed:
            step, own = self.fixed.pop()
            self.fixed.append((step, own + seconds))
        elif due == OURS and self.due:
            self.due[-1] += seconds
            self.spent += seconds

    def passed(self, n, seconds, captured):
        """n steps with nothing due closed, whose lengths and costs stand in ``steps`` and ``plain`` already: the sums over them."""
        self.count += n
        self.seconds += seconds
        self.captured += captured

    def median_step(self):
        """Median length of the last steps in seconds, 0 before the first."""
        return _median(self.steps)

    def percent(self):
        """What the hook took, in percent of the time without it."""
        rest = self.seconds - self.captured
        return 100.0 * self.captured / rest if rest > 0 else 0.0

    def _choose(self):
        step = self.median_step()
        if not step or not self.due or not self.plain:
            return False
        if self.count - self.changed_at < self.SETTLE and self.count > self.SETTLE:
            return False
        base = _median(self.plain)
        # The first capture touches memory for the first time; the cheapest half says what the next will cost.
        extra = max(_median(sorted(self.due)[: (len(self.due) + 1) // 2]) - base, 0.0)
        # Where the rest alone fills the budget, captures may take a tenth of it on top.
        room = max(self.budget * step - base - self._fixed_cost(base), 0.1 * self.budget * step)
        wanted = self.interval
        if extra / self.interval > 1.1 * room:
            wanted = next((n for n in SERIES if extra / n <= room), SERIES[-1])
        else:
            smaller = next((n for n in SERIES if extra / n <= 0.8 * room), SERIES[-1])
            wanted = min(wanted, smaller)
        if wanted == self.interval or (wanted > self.interval and self.spent < self.CREDIT):
            return False
        self.interval = wanted
        self.changed_at = self.count
        return True

    def _choose_stride(self):
        """Whether the stride changed."""
        step = self.median_step()
        if not step or len(self.heavy) < 4:
            return False
        costs = sorted(own for _, own in self.heavy)[:-1]  # the dearest one, as a rule the first, does not count
        steps = self.heavy[-1][0] - self.heavy[0][0]
        if steps <= 0:
            return False
        room, each = 0.5 * self.budget * step, sum(costs) / steps * self.stride
        if each / self.stride > 1.1 * room:
            wanted = next((n for n in SERIES if each / n <= room), SERIES[-1])
        else:
            wanted = min(self.stride, next((n for n in SERIES if each / n <= 0.8 * room), SERIES[-1]))
        if wanted == self.stride:
            return False
        self.stride = wanted
        self.heavy.clear()
        self.fixed.clear()
        return True

    def _fixed_cost(self, base):
        """Seconds a step that captures at fixed intervals cost, on average; the dearest one, as a rule the first, does not count."""
        if len(self.fixed) < 3:
            return 0.0
        costs = sorted(own for _, own in self.fixed)[:-1]
        steps = self.fixed[-1][0] - self.fixed[0][0]
        return max(sum(costs) - base * len(costs), 0.0) / steps if steps else 0.0


def passage():
    """Nanoseconds that one event takes next to what is between its two clocks.

    PyTorch's longer way through a call that has a hook, ours to the first clock
    and back from the last, and what both push out of the caches: in paired runs
    PASSAGE times as long as a call of a guarded function of ours that does
    nothing takes on the same machine.
    """

    @_guard.guard
    def nothing(module, args, output):
        return None

    best = 1 << 62
    for _ in range(5):
        began = time.perf_counter_ns()
        for _ in range(20):
            nothing(None, (), None)
        best = min(best, time.perf_counter_ns() - began)
    return best * PASSAGE // 20


class Away(object):
    """The part of a capture in which its thread did not run, because the machine gave the processor to others.

    That is no cost of capture: it would have come to the training as well. Left
    in, a busy machine makes captures look dear, and the budget silences them. A
    wait for the agent (``waited``, nanoseconds in all) is a cost and stays one.
    ``now`` and ``ran`` are clocks in nanoseconds: the time, and the processor
    time of this thread.
    """

    __slots__ = ("now", "ran", "at", "total")

    def __init__(self, now=time.perf_counter_ns, ran=time.thread_time_ns):
        self.now = now
        self.ran = ran
        self.at = None
        self.total = 0

    def begins(self, waited):
        """A capture begins, or begins again: what came before does not count."""
        self.at = (self.now(), self.ran(), waited)

    def ends(self, waited):
        """It is over; nothing happens when none has begun."""
        if self.at is not None:
            now, ran, before = self.at
            self.at = None
            self.total += max(self.now() - now - (self.ran() - ran) - max(waited - before, 0), 0)

    def take(self, waited):
        """Nanoseconds since the last call; a capture that is under way goes on."""
        if self.at is not None:
            self.ends(waited)
            self.begins(waited)
        total, self.total = self.total, 0
        return total


def _median(values):
    ordered = sorted(values)
    return ordered[len(ordered) // 2] if ordered else 0.0
