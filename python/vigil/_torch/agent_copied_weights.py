"""Weights that the agent copies itself, while forward and backward run.

Between two updates weights stay as they are. So when a step begins at which
large ones are due, the agent is told where they lie and into which frame they
belong (docs/protocol.md, FILL), and reads them out of this process on another
processor. At the update there is nothing left to copy, if the weights are what
and where they were; otherwise they are copied as all else is.
"""

import math
import struct
import time
import weakref

import torch

from vigil import _wire
from vigil._torch import compat

LEAST = 256 << 10  # bytes of a frame that is worth asking for
SHORTEST = 0.03  # seconds of a step in which the agent, which looks every 10 ms, has time to copy
SAMPLE = 4  # elements of each tensor that are compared at the update, for changes that PyTorch does not count
REST, MOST_REST = 16, 4096  # steps for which nothing is asked after one in vain
_STRIDED = torch.strided
_YAMA = "/proc/sys/kernel/yama/ptrace_scope"
_SET_PTRACER = 0x59616D61


class Asked(object):
    """A frame that the agent was asked to fill. Its tensors are held weakly: a model that goes meanwhile goes."""

    __slots__ = ("chunk", "slot", "record", "agent", "tensors", "places", "versions")

    def __init__(self, chunk, slot, record, agent, tensors, places):
        self.chunk = chunk
        self.slot = slot
        self.record = record
        self.agent = agent
        self.tensors = [weakref.ref(t) for t in tensors]
        self.places = places
        self.versions = [t._version for t in tensors]

    def unchanged(self):
        """Whether the same tensors lie at the same places, and PyTorch counted no change."""
        for e, t, place, version in zip(self.chunk.entries, self.tensors, self.places, self.versions):
            tensor = e.tensor()
            if tensor is None or tensor is not t() or tensor._version != version or tensor.data_ptr() != place:
                return False
        return True


class AgentCopies(object):
    """What was asked for and not used yet. One per Frames."""

    def __init__(self, frames):
        self.frames = frames
        self.asked = {}  # id of a chunk -> Asked
        self.rest = 0
        self.next_rest = REST
        self.open = False  # the breaker of the wait for what was asked for
        self.tracer = 0

    def begin(self, owner, due):
        """A step has begun at which these schedules are due: ask for the weights of one owner."""
        session = self.frames.session
        if self.rest:
            self.rest -= 1
            return
        if not session.fills or session.step_seconds < SHORTEST:
            return
        for chunk in self.frames.due(owner, due):
            if chunk.layout and chunk.device is None and not chunk.grads and chunk.layout.bytes >= LEAST:
                if id(chunk) not in self.asked and not chunk.many():
                    self._ask(chunk)

    def _ask(self, chunk):
        layout = chunk.layout
        ring = self.frames.session.ring
        tensors, places = [], []
        for e in chunk.entries:
            t = e.tensor()
            if t is None or e.placements is not None or t.layout is not _STRIDED or t.shape != e.shape or t.dtype is not e.dtype or t.device.type != "cpu" or not t.is_contiguous():
                return
            tensors.append(t)
            places.append(t.data_ptr())
        if not all(places) or 8 * len(places) > layout.bytes or len(layout.slots) < 2 or not layout.is_free():
            return
        agent = ring.words[_wire.W_AGENT]
        self._allow(agent)
        slot = layout.acquire()
        if slot is None:
            return
        start = layout.slots[slot]
        struct.pack_into("<%dQ" % len(places), ring.buffer, start, *places)
        record = ring.put(_wire.FILL, 0, 0, 0, layout.id, 0, 0, start, 8 * len(places), 0.0, 0)
        if record is None:
            layout.cancel(slot)
            return
        layout.used[slot] = record + 1  # whatever becomes of it, its place is the agent's until then
        layout.busy[slot] = math.inf
        self.asked[id(chunk)] = Asked(chunk, slot, record, agent, tensors, places)

    def take(self, chunk):
        """The slot of a chunk whose values are there already, or None: they have to be copied."""
        asked = self.asked.pop(id(chunk), None)
        if asked is None:
            return None
        layout, slot = chunk.layout, asked.slot
        layout.busy[slot] = time.monotonic()
        if asked.chunk is chunk and asked.unchanged() and self._filled(asked) and self._same(asked):
            return slot
        layout.cancel(slot)
        return None

    def _filled(self, asked):
        """Whether the agent has copied; it is given the bounded wait to end."""
        ring = self.frames.session.ring
        words = ring.words
        if not ring.wait_for(lambda: words[_wire.W_FILLED] > asked.record, self):
            self._give_up()
            return False
        # In this order: a new agent says who it is before it says that there is nothing left to fill.
        if words[_wire.W_UNFILLED] > asked.record or words[_wire.W_AGENT] != asked.agent:
            self._give_up()
            return False
        self.next_rest = REST
        return True

    def _give_up(self):
        self.rest = self.next_rest
        self.next_rest = min(2 * self.next_rest, MOST_REST)

    def _same(self, asked):
        """Whether some elements of each tensor are what was copied: a change through ``.data`` is not counted by PyTorch."""
        chunk = asked.chunk
        views = chunk.views.get(asked.slot) or self.frames._views(chunk, asked.slot)
        if chunk.probe is None:
            chunk.probe = Probe(chunk.entries)
        with torch.no_grad():
            return chunk.probe.of([e.tensor() for e in chunk.entries]) == chunk.probe.of(views)

    def forget(self):
        """The frames are made again: nothing of what was asked for is used."""
        for asked in self.asked.values():
            asked.chunk.layout.cancel(asked.slot)
        self.asked = {}

    def _allow(self, agent):
        """Where only a parent may read a process's memory (Yama), let the agent."""
        if agent == self.tracer:
            return
        self.tracer = agent
        try:
            with open(_YAMA) as f:
                limited = f.read().strip() == "1"
        except OSError:
            return
        if limited:
            import ctypes

            ctypes.CDLL(None).prctl(_SET_PTRACER, ctypes.c_ulong(agent), 0, 0, 0)


class Probe(object):
    """A few elements of each tensor of a frame, as bytes: a NaN equals itself there."""

    def __init__(self, entries):
        self.strides = []
        parts, at = [], 0
        for e in entries:
            n = e.shape.numel()
            k = min(n, SAMPLE)
            self.strides.append(((k,), (max(n // SAMPLE, 1),)))
            parts.append((e.dtype, (k,), at))
            at += 64
        self.buffer = bytearray(at)
        self.views = compat.views(self.buffer, 0, at, parts)

    def of(self, tensors):
        """tensors: contiguous, one for each entry."""
        compat.copy_all(self.views, [t.as_strided(size, stride) for t, (size, stride) in zip(tensors, self.strides)])
        return bytes(self.buffer)
