"""Where one training of a process ends and another begins: the next fold, the next member of an ensemble."""

import weakref

FEW = 5  # TRAIN steps in which several optimisers of one training take their first
SAMPLE = 2000  # parameters of an optimiser that are remembered
MOST = 200  # trainings that are told
LOOKED = 4  # trainings that are looked at like the first
LARGE = 300  # parameters; the facts of a training with more would be too long to be told with those of others
LONG = 50  # TRAIN steps after which an optimiser for the same weights begins another phase
PHASES = 20  # of these: a script that makes its optimiser anew in every epoch is one training all the same


class Trainings(object):
    """An optimiser whose parameters no other one held before begins a training, unless others have only just begun.

    So does one for weights that another optimiser has trained for a while: they may have been initialised
    anew, or thawed, and the loss may leap for that reason.
    """

    def __init__(self, tracker):
        self.tracker = tracker
        self.held = {}  # id -> weak reference: parameters that were trained
        self.since = 0  # TRAIN step at which the last optimiser came
        self.phases = 0
        self.begun = []  # of all trainings but the first: [{"at": global step, "facts": of the first few, what was seen of them}]
        self.looked = 0

    def optimiser(self, state, optimiser):
        """``optimiser`` is about to step for the first time. True: a training begins with it, and is looked at."""
        looks = False
        counter = self.tracker.counter
        step = counter.modes[0]
        if self.held and len(self.begun) < MOST and self._begins(step - self.since, optimiser):
            opened = self.tracker.open
            entry = {"at": opened.number() if opened is not None and opened.numbered else counter.next}
            self.begun.append(entry)
            looks = self.looked < LOOKED and len(parameters(optimiser, LARGE + 1)) <= LARGE
            looks = self.tracker.facts.training_begins(entry if looks else None, state)
            self.looked += looks
        self.since = step
        for p in parameters(optimiser, SAMPLE):
            self.held[id(p)] = weakref.ref(p)
        return looks

    def by_hand(self, tensors):
        """These are trained without an optimiser: one that comes later with others begins a training."""
        self.held.update((id(p), weakref.ref(p)) for p in tensors)

    def known(self):
        """Ids of parameters that were trained before."""
        return {i for i, ref in self.held.items() if ref() is not None}

    def _begins(self, steps, optimiser):
        """steps: TRAIN steps since the last optimiser came."""
        if steps < FEW:
            return False
        if not self._knows(optimiser):
            return True
        self.phases += steps >= LONG
        return steps >= LONG and self.phases <= PHASES

    def _knows(self, optimiser):
        for p in parameters(optimiser, None):
            known = self.held.get(id(p))
            if known is not None and known() is p:
                return True
        self.held = {i: r for i, r in self.held.items() if r() is not None}
        return False


def parameters(optimiser, most):
    """The parameters of all groups; the first ``most`` of them, or all."""
    every = (p for group in optimiser.param_groups for p in group["params"])
    return [p for p, _ in zip(every, range(most))] if most is not None else list(every)
