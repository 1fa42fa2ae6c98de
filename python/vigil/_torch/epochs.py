"""At which updates the epochs of a training begin, as its loaders show it.

An epoch is one pass of the loader that trains, the first one with whose batches
weights are updated. Another loader that trains in every epoch is a part of it;
one that comes after it instead goes on with epochs of its own. A pass without an
update (an evaluation, a batch that is looked at) is none.
"""

import time
import weakref

MOST = 1000  # stretches of epochs that have another length than those before
KNOWN = 32  # loaders that are remembered
COST = 100  # times what it takes to tell: as long nothing is told again

_now = time.perf_counter_ns


class Epochs(object):
    """The passes of the loader that trains, in stretches: the update at which one begins, the number of the epoch that begins there, and how many updates an epoch has in it."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.total = 0  # updates of the whole process by the end of this training, where a trainer told it
        self.forget()

    def forget(self):
        """Nothing has trained yet."""
        self.known = []  # Data, the latest last
        self.phases = []  # the last is the one whose passes are epochs; those before it may turn out to go on
        self.stretches = []
        self.number = 0  # of the last epoch
        self.last = 0  # update at which it begins
        self.until = None  # update from which on they are not known: their lengths have no order
        self.last_pass = None
        self.news = False  # since they were gathered
        self.quiet = 0  # until then nothing is told
        self.gathers = False
        self.gathered = None  # what was sent last

    def ends_at(self, total):
        """A trainer says after how many updates the training ends."""
        if total is not None and 0 < total < 1 << 53:
            self.total = int(total) + (self.tracker.passes.made() if self.total else 0)
            self.news = True
            self._tell()

    def training_begins(self):
        """A new model is trained: which loaders trained in whose epochs so far says nothing about it. Epochs are counted on: Go counts those of a training."""
        self.phases = []

    def trains(self, one):
        """An update was made with a batch of this pass, and the one before with none of it."""
        data = one.data
        at = next((i for i in reversed(range(len(self.phases))) if data in self.phases[i].loaders), None)
        if at is None:
            self._another(data)
        elif at < len(self.phases) - 1:
            self._again(at, one)
        phase = self.phases[-1]
        if data is phase.loaders[0] and not one.counted:
            self._begin(one, phase)
        one.counted = True
        if self.news:
            self._tell()

    # Which loader counts.

    def data(self, loader):
        """What a loader goes through."""
        length = _length(loader)
        known = self.known
        for data in known:
            if data.loader() is loader:
                break
        else:
            old = [d for d in known if d.loader() is None]
            same = [d for d in old if d.dataset() is loader.dataset]
            same = same or [d for d in old if d.dataset() is None and length is not None and d.batches == length]
            if same:
                data = same[-1]
            else:
                data = Data()
                known.append(data)
        data.take(loader, length)
        if data is not known[-1]:
            known.remove(data)
            known.append(data)
        del known[:-KNOWN]
        return data

    def _another(self, data):
        """A loader trains for the first time: what comes is its epochs, unless the one before it comes back."""
        self.phases.append(Phase(data, self))
        del self.phases[: -KNOWN]

    def _again(self, at, one):
        """A loader trains that did so before the one whose passes are counted now."""
        phase, after = self.phases[at], self.phases[at + 1]
        if one.counted or phase.passes == 1:  # what came since is a part of its epoch
            for other in self.phases[at + 1 :]:
                phase.loaders.extend(other.loaders)
            after.restore(self)
            del self.phases[at + 1 :]
        else:  # each has epochs of its own
            self.phases = []
            self._another(one.data)

    # When epochs begin.

    def _begin(self, one, phase):
        n, last = one.first, self.last
        short = self.last_pass is not None and not self.last_pass.trained
        phase.passes += 1
        self.last_pass = one
        if self.until is not None:
            return
        if self.number and n <= last and not short:
            return  # both train from the same update on
        self.number += 1
        self.last = max(n, last)
        stretches = self.stretches
        if stretches and n > last:
            at, number, updates = stretches[-1]
            if at == last:
                stretches[-1][2] = n - last
                self.news = True
            elif n - last > updates:
                stretches.append([last, self.number - 1, n - last])
                self.news = True
        if not self._follows():
            stretches.append([self.last, self.number, 0])
            self.news = True
        if len(stretches) > MOST:
            self.until = stretches[MOST][0]
            del stretches[MOST:]

    def _follows(self):
        """Whether what is noted shows where the last epoch begins."""
        if not self.stretches:
            return False
        at, number, updates = self.stretches[-1]
        if at == self.last:
            self.stretches[-1][1:] = self.number, 0
            self.news = True
            return True
        return updates > 0 and (self.last - at) == (self.number - number) * updates

    # Telling.

    def _tell(self):
        """Send what is known, as often as that takes next to no time."""
        facts, began = self.tracker.facts, _now()
        if facts.said and self.tracker.session is not None and began >= self.quiet and not self.gathers:
            facts.told_anew()  # which gathers these
            ended = _now()
            self.quiet = ended + COST * (ended - began)

    def gather(self):
        """EpochFacts, or None."""
        self.gathers = True
        self.tracker.passes.settle()
        self.gathers = self.news = False
        out = {"total": self.total} if self.total else {}
        n = self.tracker.passes.made()
        if self.stretches and n > self.stretches[0][0]:
            out["batches"] = self._batches() or 0
            out["stretches"] = [{"at": at, "number": number, "updates": updates} for at, number, updates in self._as_they_are(n)]
            if self.until is not None:
                out["until"] = self.until
        self.gathered = out or None
        return self.gathered

    def changed(self):
        """Whether something else is known than what was gathered last."""
        before = self.gathered
        return self.gather() != before

    def _as_they_are(self, n):
        """The stretches, with the epoch that goes on: n updates were made."""
        stretches = self.stretches
        at, number, updates = stretches[-1]
        if self.until is not None:
            return stretches
        expected = self._expected(n - self.last)
        if at == self.last:
            return stretches[:-1] + [[at, number, expected]]
        if n - self.last > updates and expected != updates:
            return stretches + [[self.last, self.number, expected]]
        return stretches

    def _expected(self, made):
        """How many updates the pass that goes on will have: as many as batches, where one was made of each so far; 0 where that is not known."""
        one = self.last_pass
        if one is not self.tracker.passes.current:
            return 0  # another loader trains, too
        if one.ended:
            each = 0 <= one.batches - (one.stopped - one.first) <= 2
            return one.batches if each else made if made < one.batches else 0
        batches = self._batches()
        each = made > 2 and 0 <= one.batches - made <= 2
        return batches if batches and each and made <= batches else 0

    def _batches(self):
        """Of one pass of the loader whose passes are epochs; None where that is not known."""
        return self.phases[-1].loaders[0].batches if self.phases else None


class Data(object):
    """What a loader goes through, remembered for longer than the loader: one that is made again for the same data is the same."""

    __slots__ = ("loader", "dataset", "batches")

    def take(self, loader, batches):
        self.loader = weakref.ref(loader)
        self.batches = batches
        try:
            self.dataset = weakref.ref(loader.dataset)
        except TypeError:  # a list
            self.dataset = _gone


def _gone():
    """What a weak reference to nothing gives."""
    return None


class Phase(object):
    """A part of the training in which the passes of one loader are epochs. ``loaders``: that one, and those that train in its epochs, too."""

    def __init__(self, data, epochs):
        self.loaders = [data]
        self.passes = 0
        stretches = epochs.stretches
        self.before = len(stretches), list(stretches[-1]) if stretches else None, epochs.number, epochs.last, epochs.until, epochs.last_pass

    def restore(self, epochs):
        """What epochs were known before this phase."""
        count, last, epochs.number, epochs.last, epochs.until, epochs.last_pass = self.before
        del epochs.stretches[count:]
        if last is not None:
            epochs.stretches[-1] = last
        epochs.news = True


def _length(loader):
    """How many batches a pass has; None where the data does not tell."""
    if not hasattr(type(loader.dataset), "__len__"):
        return None
    try:
        return len(loader)
    except Exception:  # of a sampler of the script's
        return None
