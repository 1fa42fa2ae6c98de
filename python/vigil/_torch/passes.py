"""Which passes of loaders train.

A pass begins with ``iter(loader)``. The batches that the script took since the last
update are in its hand; the next update is made with them. Of several passes in
the hand the first one drives the loop: the others are taken along. A pass that
is over, or from which a step of evaluation was made, comes after those that go on.
"""

import threading
import weakref

from vigil import _guard
from vigil._torch.steps import TRAIN

MARK = "_vigil_pass"  # the attribute of an iterator with its Pass
_thread = threading.get_ident


class Pass(object):
    """One pass of a loader."""

    __slots__ = ("data", "iterator", "first", "batches", "ended", "gone", "stopped", "backward", "counted", "trained")

    def __init__(self, data):
        self.data = data  # what it goes through (vigil._torch.epochs)
        self.iterator = None  # weak reference
        self.first = -1  # update that was about to be made when its first batch was asked for
        self.batches = 0
        self.ended = False  # it has no batch left
        self.gone = False  # nobody can take another batch of it
        self.stopped = 0  # updates by then
        self.backward = False  # one was called with a batch of it
        self.counted = False  # as an epoch
        self.trained = False  # an update was of it


class Passes(object):
    """Follows the passes of all loaders, and has epochs.trains know the pass of an update: the first time, and when it is another one than before."""

    def __init__(self, tracker, epochs):
        self.tracker = tracker
        self.lane = tracker.lane
        self.epochs = epochs
        self.forget()

    def forget(self):
        self.hand = []  # passes of which a batch was taken since the last update, in order
        self.tested = []  # those of them from which a step of evaluation was made
        self.latest = None  # the pass of which a batch was taken last
        self.evaluates = None  # the pass that the open step of evaluation got its batch from
        self.at = 0  # updates that were made when the last batch was taken
        self.current = None  # the pass that trained last
        self.sole = None  # current, while nothing but it is in the hand

    # What the script does.

    def begins(self, loader):
        """The script is about to go through a loader. Returns the pass; None where another thread does."""
        return Pass(self.epochs.data(loader)) if self._here() else None

    def iterates(self, iterator, one):
        """This is the iterator of a pass that has begun."""
        before = getattr(iterator, MARK, None)
        if before is not None:  # the workers are kept, and their iterator
            self._leaves(before)
        setattr(iterator, MARK, one)
        one.iterator = weakref.ref(iterator, _guard.guard(lambda _: self._leaves(one)))

    def asked(self, one):
        """A batch of a pass was taken."""
        if self.lane.armed:
            n = self.lane.n
        elif self.tracker.open is None:
            n = self.tracker.counter.modes[TRAIN]
        else:
            n = self.made()
        one.batches += 1
        if one is self.sole:
            self.at = n
        else:
            self._takes(one, n)

    def stops(self, one):
        """A pass has no batch left."""
        self._leaves(one)
        one.ended, one.stopped = True, self.made()

    def _leaves(self, one):
        """Nobody can take another batch of a pass, from here on."""
        if not one.gone and one in self.hand and self._here():
            self.settle()
        one.gone = True

    def evaluated_from(self):
        """A step of evaluation opens."""
        self.evaluates = self.latest if self.latest in self.hand else None

    def evaluated(self):
        """A step of evaluation has closed, and was one."""
        if self.evaluates in self.hand and self.evaluates not in self.tested:
            self.tested.append(self.evaluates)
            self.sole = None
        self.evaluates = None

    def backward(self):
        """backward was called outside of the fast path."""
        if self.sole is None and self.hand:
            one = self._driver()
            if one is not None:
                one.backward = True

    def settle(self):
        """Take in an update that was made since the last batch was taken."""
        if self.hand and self.made() > self.at:
            self._updated()

    def made(self):
        """How many updates were made; one that only the next event would show is among them."""
        if self.lane.armed:
            return self.lane.n
        tracker = self.tracker
        n = tracker.counter.modes[TRAIN]
        for step in (tracker.open, tracker.suspended):
            if step is not None and step.mode == TRAIN and (step.tentative or step.backwards and tracker._changed_by_hand(None)):
                return n + 1
        return n

    def _here(self):
        """Whether this is the thread that trains."""
        return self.tracker.thread in (None, _thread())

    # What it means.

    def _takes(self, one, n):
        if self.hand and n > self.at:
            self._updated()
        self.at = n
        if one.first < 0:
            one.first = n
        if one not in self.hand:
            self.hand.append(one)
        self.latest = one
        self.sole = one if one is self.current and len(self.hand) == 1 and not self.tested else None

    def _updated(self):
        """An update was made with what is in the hand."""
        one, hand = self._driver(), self.hand
        self.hand, self.tested, self.sole = [], [], None
        if one is None:
            return
        if len(hand) > 1:
            for other in hand:  # a pass that was too short for an update of its own
                if other is not one and other.backward and not other.counted and other.gone:
                    self.epochs.trains(other)
        if one is not self.current or not one.counted:
            self.current = one
            self.epochs.trains(one)
        one.trained = True

    def _driver(self):
        """The pass in the hand that an update is of; None when all were evaluated, and are over."""
        hand = self.hand
        if len(hand) == 1 and not self.tested:
            return hand[0]
        ranks = [one.gone + 2 * (one in self.tested) for one in hand]
        best = min(ranks)
        if best == 3:
            return None
        found = [one for one, rank in zip(hand, ranks) if rank == best]
        if best:
            return found[-1]
        first = next(one for one, rank in zip(hand, ranks) if rank < 2).data
        if all(one.data is not first for one in found):
            first = found[0].data
        return [one for one in found if one.data is first][-1]
