"""Where one training of a process ends and another begins: the next fold, the next member of an ensemble."""

import weakref

import torch

FEW = 5  # TRAIN steps in which several optimisers of one training take their first
SAMPLE = 2000  # parameters of an optimiser that are remembered
MOST = 200  # trainings that are told
LOOKED = 4  # trainings that are looked at like the first
LARGE = 300  # parameters; the facts of a training with more would be too long to be told with those of others
LONG = 50  # TRAIN steps after which an optimiser for the same weights begins another phase
TRAINING, PHASE = "training", "phase"
PHASES = 20  # of these: a script that makes its optimiser again in every epoch is one training all the same


class Trainings(object):
    """An optimiser whose parameters no other one held before begins a training, unless others have only just begun.

    One for weights that another optimiser has trained for a while, or for others
    of the same model, begins a further phase of that training: weights may have
    been initialised again, or thawed, and the loss may leap for that reason. What
    was taken for a training was a part of the one before where an optimiser of
    that one steps again, as when half of a GAN is trained ahead.
    """

    def __init__(self, tracker):
        self.tracker = tracker
        self.held = {}  # id -> weak reference: parameters that were trained
        self.since = 0  # TRAIN step at which the last optimiser came
        self.phases = 0
        self.begun = []  # of all trainings but the first: what TrainingFacts say, with the facts of the first few
        self.current = 0  # how many of these had begun when the optimisers that step now came
        self.looked = 0

    def optimiser(self, state, optimiser):
        """``optimiser`` is about to step for the first time. True: a training begins with it, and is looked at."""
        looks = False
        step = self.tracker.counter.modes[0]
        begins = self._begins(step - self.since, optimiser) if self.held and len(self.begun) < MOST else None
        if begins is not None:
            looks = self._begin(begins, state, optimiser)
        state.training = self.current
        self.since = step
        for p in parameters(optimiser, SAMPLE):
            self.held[id(p)] = weakref.ref(p)
        return looks

    def _begin(self, begins, state, optimiser):
        """Note a training, or a phase of one, and tell of it. Returns whether it is looked at."""
        tracker = self.tracker
        opened = tracker.open
        entry = {"at": opened.number() if opened is not None and opened.numbered else tracker.counter.next}
        if begins == PHASE:
            entry["phase"] = True
        else:
            tracker.epochs.training_begins()
            tracker.losses.training_begins()
            tracker.windows = 0
        entry["update"] = tracker.counter.modes[0]
        entry["optimiser"] = tracker.facts.optimiser(state)
        self.begun.append(entry)
        self.current = len(self.begun)
        looks = self.looked < LOOKED and len(parameters(optimiser, LARGE + 1)) <= LARGE
        looks = tracker.facts.training_begins(entry if looks else None, state)
        self.looked += looks
        return looks

    def goes_on(self, state):
        """``state`` is of a training before the last one, and has stepped again: what began since is a part of that one."""
        for entry in self.begun[state.training :]:
            entry["phase"] = True
        for other in self.tracker.optims:
            other.training = min(other.training, state.training)
        self.current = state.training
        self.tracker.facts.told_anew()

    def by_hand(self, tensors):
        """These are trained without an optimiser: one that comes later with others begins a training."""
        self.held.update((id(p), weakref.ref(p)) for p in tensors)

    def known(self):
        """Ids of parameters that were trained before."""
        return {i for i, ref in self.held.items() if ref() is not None}

    def _begins(self, steps, optimiser):
        """TRAINING or PHASE where one begins. steps: TRAIN steps since the last optimiser came."""
        if steps < FEW:
            return None
        if not self._knows(optimiser):
            return PHASE if self._of_a_known_model(optimiser) else TRAINING
        self.phases += steps >= LONG
        return PHASE if steps >= LONG and self.phases <= PHASES else None

    def _knows(self, optimiser):
        for p in parameters(optimiser, None):
            known = self.held.get(id(p))
            if known is not None and known() is p:
                return True
        self.held = {i: r for i, r in self.held.items() if r() is not None}
        return False

    def _of_a_known_model(self, optimiser):
        """Whether a model that has trained holds parameters of an optimiser that nobody trained before: another part of it."""
        new = {id(p) for p in parameters(optimiser, None)}
        for root in self.tracker.roots:
            inner = root.inner()
            if isinstance(inner, torch.nn.Module):
                its = {id(p) for p in inner.parameters()}
                if not new.isdisjoint(its) and not its.isdisjoint(self.held):
                    return True
        return False


def parameters(optimiser, most):
    """The parameters of all groups; the first ``most`` of them, or all."""
    every = (p for group in optimiser.param_groups for p in group["params"])
    return [p for p, _ in zip(every, range(most))] if most is not None else list(every)
