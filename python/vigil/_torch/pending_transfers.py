"""Flights: values on their way from a device, from the memory they are given to their publication."""

import torch

from vigil import _guard
from vigil._torch import device


class Flight(object):
    """Values on their way. ``at``: (step, mode, mode step), once their update is done."""

    __slots__ = ("event", "at", "land", "pinned", "device", "aside", "took")

    def __init__(self, device, pinned, aside):
        self.device = device
        self.pinned = pinned
        self.aside = aside  # bytes put aside on the device
        self.at = self.event = self.land = None
        self.took = None  # marks of the device before and after the work for it and the flights before it


class Flights(object):
    """Those of one process. ``session()`` is given by who inherits."""

    def __init__(self):
        self.pool = device.Pool()
        self.waiting = []  # copied for an update that is not done
        self.flying = []

    def _flight(self, from_, nbytes):
        """A flight with pinned memory, or None when there is none."""
        try:
            pinned = self.pool.take(from_, nbytes)
        except RuntimeError as error:
            self.pool.most = self.pool.total
            text = str(error).split("\n")[0][:300]
            self.session().notice("warning", "no more pinned memory than %d bytes: %s" % (self.pool.total, text), "beyond that, values are copied from the device with a wait")
            return None
        return None if pinned is None else Flight(from_, pinned, 0)

    def _aside(self, from_, nbytes, flight):
        """Memory of the device, or None."""
        if from_.cramped or from_.put_aside + nbytes > device.ASIDE:
            return None
        try:
            memory = torch.empty(nbytes, dtype=torch.uint8, device=from_.device)
        except RuntimeError as error:
            self._cramped(from_, error)
            return None
        flight.aside = nbytes
        from_.put_aside += nbytes
        return memory

    def _cramped(self, from_, error):
        from_.cramped = True
        text = str(error).split("\n")[0][:300]
        self.session().notice("warning", "no memory on %s for capture: %s" % (from_.device, text), "from now on values are copied without it, which makes the device wait")

    # Arriving.

    def publish(self, at):
        """The update is done: what was copied for it belongs to this step."""
        waiting, self.waiting = self.waiting, []
        for flight in waiting:
            flight.at = at
        self.flying += waiting

    def cancel(self):
        """The update did not happen."""
        waiting, self.waiting = self.waiting, []
        for flight in waiting:
            flight.event.synchronize()
            self._done(flight)

    def of(self, number):
        """The flights of a step that closes, which are landed by whoever asks."""
        if not self.flying:
            return ()
        mine = [f for f in self.flying if f.at[0] == number]
        self.flying = [f for f in self.flying if f.at[0] != number]
        return mine

    def arrive(self, flights):
        """Publish what flights brought; waits for them. Seconds that the device spent on them."""
        took = 0.0
        for flight in flights:
            flight.event.synchronize()
            if flight.took is not None:
                took += flight.device.between(*flight.took)
            self._land(flight)
            self._done(flight)
        return took

    @_guard.guard
    def _land(self, flight):
        flight.land(self.session(), flight.at)

    def _done(self, flight):
        flight.device.put_aside -= flight.aside
        flight.aside = 0
        self.pool.give(flight.device, flight.pinned)
        flight.land = flight.pinned = None
