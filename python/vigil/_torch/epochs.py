"""At which updates the epochs of a training begin, as far as its loader tells that.

An epoch is one pass of the loader that trains: the first one in whose passes
weights are updated. A pass that is begun while an earlier one of the same loader
goes on (a batch that is looked at) is none, nor is one without an update (an
evaluation on the training data).
"""

import weakref

MOST = 32  # stretches of epochs that have another length than those before


class Epochs(object):
    """The passes of the loader that trains, in stretches: the update at which one begins, the number of the epoch that begins there, and how many updates an epoch has in it."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.total = 0  # updates of the whole training, where a trainer told it
        self.forget()

    def forget(self):
        """Another training begins."""
        self.loader = None  # weak reference to the one that trains, or may be
        self.batches = None  # of one of its passes
        self.pass_of = None  # weak reference to the iterator of its last pass
        self.stretches = []
        self.passes = 0
        self.other = None  # update at which another loader came after its last pass
        self.until = None  # update from which on there are no epochs that could be told: its passes have no order, or others train

    def begins(self, loader):
        """The script is about to go through a loader. Returns whether this may be an epoch."""
        n = self.tracker.counter.modes[0]
        self._others_trained(n)
        if self.until is not None:
            return False
        known = self.loader() if self.loader is not None else None
        trained = bool(self.stretches) and n > self._last()
        if known is loader and self._goes_on():
            return False
        if known is not loader and trained:
            if known is not None or _length(loader) != self.batches:
                if not self._goes_on():
                    self.other = n
                return False  # of another set of data
            self.loader = weakref.ref(loader)
        elif known is not loader:
            self.forget()
            self.loader, self.batches = weakref.ref(loader), _length(loader)
        self.pass_of = self.other = None
        self._begin(n)
        return True

    def _others_trained(self, n):
        """Whether another loader, which came after a pass, was no evaluation."""
        if self.other is not None and n > self.other and self.until is None:
            self.until = self.other
            self._tell()

    def iterates(self, iterator):
        """This is the iterator of the pass that has begun."""
        self.pass_of = weakref.ref(iterator)

    def ends_at(self, total):
        """A trainer says after how many updates the training ends."""
        if total is not None and 0 < total < 1 << 53:
            self.total = int(total)
            self._tell()

    def _goes_on(self):
        """Whether the last pass has batches left, and somebody who takes them."""
        iterator = self.pass_of() if self.pass_of is not None else None
        given = getattr(iterator, "_num_yielded", None)
        return given is not None and self.batches is not None and 0 < given < self.batches

    def _last(self):
        """The update at which the last pass began."""
        at, number, updates = self.stretches[-1]
        return at + (self.passes - number) * updates if updates else at

    def _begin(self, n):
        if not self.stretches:
            self.stretches.append([n, 1, 0])
            self.passes = 1
            return
        if n <= self._last():
            return  # there was no update in it
        stretch = self.stretches[-1]
        at, number, updates = stretch
        before = self._last()
        self.passes += 1
        if not updates:
            stretch[2] = n - at
        elif n - before != updates:
            if len(self.stretches) == MOST:
                self.until = n
            else:
                self.stretches.append([n, self.passes, 0])
        else:
            return
        self._tell()

    def _tell(self):
        facts = self.tracker.facts
        if facts.said and self.tracker.session is not None:
            facts.told_anew()  # which gathers these

    def gather(self):
        """EpochFacts, or None."""
        self._others_trained(self.tracker.counter.modes[0])
        out = {"total": self.total} if self.total else {}
        if self.stretches and self.tracker.counter.modes[0] > self.stretches[0][0]:
            out["batches"] = self.batches or 0
            out["stretches"] = [{"at": at, "number": number, "updates": updates or self._expected(at)} for at, number, updates in self.stretches]
            if self.until is not None:
                out["until"] = self.until
        return out or None

    def _expected(self, at):
        """How many updates the pass that goes on will have: as many as batches, where one was made of each so far; 0 where that is not known."""
        iterator = self.pass_of() if self.pass_of is not None else None
        given, made = getattr(iterator, "_num_yielded", 0), self.tracker.counter.modes[0] - at
        return self.batches if self.batches and made > 2 and given - made in (0, 1) else 0


def _length(loader):
    """How many batches a pass has; None where the data does not tell."""
    if not hasattr(type(loader.dataset), "__len__"):
        return None
    try:
        return len(loader)
    except Exception:  # of a sampler of the script's
        return None
