"""Which passes of loaders train.

A pass begins with ``iter(loader)``. The batches that the script took since the last
update are in its hand; the next update is made with them. Of several passes in
the hand the first one drives the loop: the others are taken along. A pass that
is over, or from which a step of evaluation was made, comes after those that go on.
"""

import threading
import weakref

from vigil._torch.steps import TRAIN

MARK = "_vigil_pass"  # the attribute of an iterator with its Pass
_thread = threading.get_ident


class Pass(object):
    """One pass of a loader."""

    __slots__ = ("data", "iterator", "first", "batches", "ended", "stopped", "backward", "counted")

    def __init__(self, data):
        self.data = data  # what it goes through (vigil._torch.epochs)
        self.iterator = None  # weak reference
        self.first = -1  # update that was about to be made when its first batch was asked for
        self.batches = 0
        self.ended = False
        self.stopped = 0  # updates by then
        self.backward = False  # one was called with a batch of it
        self.counted = False  # as an epoch

    def gone(self):
        """Whether nobody can take another batch of it."""
        iterator = self.iterator() if self.iterator is not None else None
        return self.ended or iterator is None or getattr(iterator, MARK, None) is not self


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
        trains = self.tracker.thread
        return Pass(self.epochs.data(loader)) if trains is None or trains == _thread() else None

    def iterates(self, iterator, one):
        """This is the iterator of a pass that has begun."""
        setattr(iterator, MARK, one)
        one.iterator = weakref.ref(iterator)

    def asked(self, one):
        """A batch of a pass was taken."""
        n = self.lane.n if self.lane.armed else self.made()
        one.batches += 1
        if one is self.sole:
            self.at = n
        else:
            self._takes(one, n)

    def stops(self, one):
        """A pass has no batch left."""
        self.settle()
        one.ended, one.stopped = True, self.made()

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
            for other in hand:  # an earlier pass of the same loader, whose last batches are in the update, too
                if other is not one and other.backward and not other.counted and other.data is one.data:
                    self.epochs.trains(other)
        if one is not self.current or not one.counted:
            self.current = one
            self.epochs.trains(one)

    def _driver(self):
        """The pass in the hand that an update is of; None when all were evaluated, and are over."""
        hand = self.hand
        if len(hand) == 1 and not self.tested:
            return hand[0]
        rank, found = 3, []
        for one in hand:
            own = one.gone() + 2 * (one in self.tested)
            if own < rank:
                rank, found = own, []
            if own == rank < 3:
                found.append(one)
        if not found:
            return None
        if rank:
            return found[-1]
        return [one for one in found if one.data is found[0].data][-1]
