"""What a step is while it is open, and which optimisers make one step together."""

import weakref

from vigil import _wire

TRAIN, EVAL, GLOBAL = _wire.TRAIN, _wire.EVAL, _wire.GLOBAL
EVALUATION = (_wire.EVAL, _wire.PREDICT)  # modes whose steps no update closes
UPDATED = (_wire.TRAIN, _wire.GLOBAL)  # those that one does
_NONE_DUE = frozenset()


class Step(object):
    """One open step. Its global number is given when its first record needs it, so that an evaluation
    in between comes first."""

    __slots__ = ("mode", "mode_step", "counter", "_number", "began", "active", "due", "is_due", "losses", "done",
                 "skipped", "tentative", "maybe_train", "own_loss", "samples", "backwards", "root", "flag", "digests", "rates")  # fmt: skip

    def __init__(self, counter, mode, mode_step, began):
        self.counter = counter
        self.mode = mode
        self.mode_step = mode_step
        self._number = None
        self.began = began  # perf_counter seconds
        self.active = began  # the last sign of it
        self.due = _NONE_DUE  # schedule indexes
        self.is_due = False
        self.losses = None  # optimiser state -> Mean of what its updates cost
        self.done = []  # optimiser states that stepped, in order
        self.skipped = False
        self.tentative = False  # an optimiser stepped, and only the next update reports whether that was all of it
        self.maybe_train = False  # eval() with gradients: training if backward follows
        self.own_loss = None  # Mean of the losses that the model itself returned
        self.samples = None  # that they are of, in evaluation
        self.backwards = 0
        self.root = None
        self.digests = None  # optimiser state -> [(name, Mean)]
        self.rates = None  # name -> learning rate
        self.flag = None  # Mean of found_inf of fused optimisers

    def number(self):
        if self._number is None:
            self._number = self.counter.take()
            if self.mode == GLOBAL:
                self.mode_step = self._number
        return self._number

    def renumber(self):
        """Give the number again when it is needed next."""
        self._number = None

    @property
    def numbered(self):
        return self._number is not None


class Counter(object):
    """Numbers of steps: global, and one per mode. Steps of mode GLOBAL have their global number there too."""

    def __init__(self):
        self.next = 0
        self.modes = [0, 0, 0, 0]

    def of(self, mode):
        """The number within its mode of a step that begins now."""
        return self.next if mode == GLOBAL else self.modes[mode]

    def closed(self, step):
        self.modes[step.mode] = step.mode_step + 1 if step.mode == GLOBAL else self.modes[step.mode] + 1

    def take(self):
        n = self.next
        self.next = n + 1
        return n


class Optimiser(object):
    """An optimiser that has stepped. Held weakly."""

    __slots__ = ("ref", "index", "series", "type", "adopted", "parameters", "groups", "loose", "start", "apart", "training", "__weakref__")

    def __init__(self, optimiser, index):
        self.ref = weakref.ref(optimiser)
        self.index = index
        self.series = "loss" if index == 0 else "loss/%d" % index
        self.type = type(optimiser).__name__
        self.adopted = False
        self.parameters = parameter_ids(optimiser)
        self.groups = len(optimiser.param_groups)
        self.loose = None  # parameters that are in no module
        self.apart = set()  # groups of parameters that had another rate than the first
        self.training = 0  # which one of the process (Trainings.current)
        self.start = None  # digest of the weights before the first update, in a job of several ranks

    def refresh(self):
        """Parameter groups may have been added."""
        optimiser = self.ref()
        if optimiser is not None:
            self.parameters = parameter_ids(optimiser)
            self.groups = len(optimiser.param_groups)

    def has(self, parameter):
        return id(parameter) in self.parameters


def parameter_ids(optimiser):
    return {id(p) for group in optimiser.param_groups for p in group["params"]}


class Cycle(object):
    """Which updates make one step.

    With one optimiser every update does. With several, the first round decides:
    all that step before one steps again are the cycle, and a step closes with
    the last of them. An optimiser that is not in the cycle belongs to the step
    it falls into; when it steps again and the cycle's have not, it is the cycle
    from then on, as when the members stop coming for PATIENCE updates. Where it
    was alone in that step, as at the beginning of another training, the step was
    its own. When some of the cycle are gone, who steps together with the others
    takes their places.
    """

    PATIENCE = 16

    def __init__(self):
        self.round = []
        self.members = None  # a list once it is known
        self.newcomer = None  # who was alone in a step, and not in the cycle
        self.guests = []  # who else was in a step that members closed, the last such one

    def repeats(self, state):
        """Whether, in the first round, the update of ``state`` shows that the round was over before."""
        return self.members is None and state in self.round

    def settle(self):
        """The first round is over."""
        self.members = self.round
        self.round = []

    def closes(self, step, state, others):
        """``state`` has stepped: True, the step closes; False, it goes on; None, only the next update will tell.

        others: whether the process has optimisers that have not stepped yet.
        """
        members = self.members
        if members is not None and len(members) == 1 and members[0] is state:
            self.newcomer = None
            self._note_guests(step)
            return True
        if members is None:
            self.round.append(state)
            if not others:
                self.settle()
                return True
            return None
        if all(m in step.done for m in self.members if m.ref() is not None):
            self.newcomer = None
            if not self._refilled(step):
                self.members, self.round = None, list(dict.fromkeys(step.done))
                return None
            self._note_guests(step)
            return state in self.members or self._alone(state)
        if step.done.count(state) > (self.PATIENCE if state in self.members else 1):
            self.members = [state]
            return True
        if not self._alone_so_far(step, state):
            return False
        if self.newcomer is state:
            self.members = [state]
            return True
        self.newcomer = state
        return None

    def _refilled(self, step):
        """Give places of members that are gone to who stepped with those that are there. False: places are free, and nobody has come yet."""
        there = [m for m in self.members if m.ref() is not None]
        free = len(self.members) - len(there)
        if not free or len(self.members) == 1:
            return True
        if not there:
            return len(step.done) > 1
        new = [s for s in dict.fromkeys(step.done) if s not in self.members]
        self.members = there + new[:free]
        return bool(new)

    def _note_guests(self, step):
        if len(step.done) > len(self.members):
            self.guests = [s for s in step.done if s not in self.members]

    def _alone_so_far(self, step, state):
        """Whether nothing but one update by an optimiser that is not in the cycle was made in a step."""
        return self.members is not None and state not in self.members and state not in self.guests and step.done == [state]

    def takes_over(self, step, state):
        """Whether ``state`` is about to step again, and alone, before the cycle's have: it is the cycle, and its first update was a step of its own."""
        if step is None or not step.tentative or not self._alone_so_far(step, state):
            return False
        self.members = [state]
        return True

    def _alone(self, state):
        """All members are gone: the cycle is what still steps."""
        if any(m.ref() is not None for m in self.members):
            return False
        self.members = [state]
        return True
