"""Parameters and gradients: copied together into the ring at the update.

Tensors with the same schedules share a group; a group is divided into chunks,
each one frame layout of the session with views kept ready, so that a due step
is one foreach copy and one record per chunk.
"""

import torch

from vigil import _wire
from vigil._torch import agent_copied_weights, compat, device, device_statistics, device_transfer, sharded_tensors
from vigil._torch.frame_entries import Chunk

CHUNK = 8 << 20  # bytes of a frame, at least one tensor
_STRIDED = torch.strided


class Frames(object):
    """All Entries of a process, and how they travel under the plan in force."""

    def __init__(self):
        self.session = None
        self.entries = []
        self.groups = {}  # owner -> {schedule indexes: [Chunk]}
        self.held = []  # frames copied by a closure, published when the update is done
        self.first_sight = True  # tensors that the plan does not know yet are captured once
        self.given = {}  # id of a parameter -> its gradient, of those that are not with their parameter
        self.stale = False  # a parameter is not as it was announced
        self.carrier = device_transfer.Carrier(self)
        self.ahead = agent_copied_weights.AgentCopies(self)

    def add(self, entry):
        self.entries.append(entry)
        for chunks in self.groups.pop(entry.owner, {}).values():
            for chunk in chunks:
                if chunk.layout:
                    chunk.layout.release()

    def forget(self, root):
        """A root is gone: nothing of it is kept."""
        self.entries = [e for e in self.entries if e.root is not root]
        self.apply()

    def leave(self, gone):
        """These entries are no longer part of a model."""
        if gone:
            ids = {id(e) for e in gone}
            self.entries = [e for e in self.entries if id(e) not in ids]
            self.apply()

    def apply(self):
        """The plan or the entries changed: build groups and layouts again when next due."""
        self.ahead.forget()
        for groups in self.groups.values():
            for chunks in groups.values():
                for chunk in chunks:
                    if chunk.layout:
                        chunk.layout.release()
                    chunk.views = {}
        self.groups = {}

    def _groups(self, owner):
        groups = self.groups.get(owner)
        if groups is None:
            plan = self.session.plan.tensors
            apart = sum(e.nbytes for e in self.entries if e.owner is owner and not e.grad) >= agent_copied_weights.LEAST
            by = {}
            for e in self.entries:
                if e.owner is owner:
                    known = plan.get(e.id)
                    if known is not None:
                        by.setdefault((frozenset(i for i in known if i >= 0), apart and e.grad) + self._place(e), []).append(e)
                    elif self.first_sight and not e.seen:
                        by.setdefault((None, apart and e.grad) + self._place(e), []).append(e)
            groups = self.groups[owner] = {}
            for (sig, _, place, values), entries in by.items():
                if sig is None or sig:
                    groups.setdefault(sig, []).extend(self._chunks(entries, place, values if sig is not None else None))
        return groups

    def _place(self, e):
        """(device, or None; schedules at which values are wanted, or None) of an entry."""
        p = e.parameter()
        p = p if p is None or e.placements is None else sharded_tensors.local(p)
        place = device.of(p) if p is not None else None
        values = self.session.plan.values
        if place is None or values is None or device_statistics.why_not(p) is not None:
            return place, None
        return place, frozenset(values.get(e.id, ()))

    def _chunks(self, entries, place, values):
        use = getattr(self.session.plan, "use", 0) or len(self.session.buffer)
        limit = min(CHUNK, max(use // 16, 1))
        out = []
        part, size = [], 0
        for e in entries:
            if part and size + e.nbytes > limit:
                out.append(part)
                part, size = [], 0
            part.append(e)
            size += e.nbytes
        if part:
            out.append(part)
        return [Chunk(p, False if values is not None and not values else self._layout(p, use), place, values) for p in out]

    def lay_out(self, chunk):
        """Give a chunk its frames, now that they are needed."""
        if chunk.layout is False:
            chunk.layout = self._layout(chunk.entries, getattr(self.session.plan, "use", 0) or len(self.session.buffer))

    def _layout(self, entries, use):
        if sum(e.nbytes for e in entries) > use // 2:
            return None
        return self.session.layout([(e.id, e.nbytes) for e in entries])

    def due(self, owner, schedules):
        """The chunks of one owner that are due when the given schedule indexes are."""
        out = []
        for sig, chunks in self._groups(owner).items():
            if sig is None:
                out.extend(c for c in chunks if not all(e.seen for e in c.entries))
            elif not sig.isdisjoint(schedules):
                out.extend(chunks)
                for c in chunks:
                    c.reduce = c.values is not None and c.values.isdisjoint(schedules)
        return out

    def copy(self, chunks, at, scale=None):
        """Copy due chunks into the ring. ``at`` is (step, mode, mode step); ``scale`` divides gradients. Publish with ``publish``.

        Called again before ``publish`` it copies again into the same frames.
        """
        held = {id(c): (c, slot) for c, slot, _ in self.held}
        self.held = []
        targets, sources, scaled, work = [], [], [], []
        on_device = False
        if any(c.device is not None for c in chunks):
            chunks = self.carrier.take(chunks, scale)
        for chunk in chunks:
            if chunk.layout is None:
                self._loose(chunk, at, scale)
                continue
            slot = held.pop(id(chunk), (None, None))[1]
            if slot is None:
                slot = self.ahead.take(chunk)
                if slot is not None:
                    work.append((chunk, slot, None))
                    continue
                slot = chunk.layout.acquire()
            if slot is None:
                e = chunk.entries[0]
                self.session.drop(e.id, len(chunk.entries), _wire.FULL, *at)
                continue
            views = chunk.views.get(slot if chunk.aside is None else 0) or self._views(chunk, slot)
            present = self.gather(chunk, views, targets, sources, scaled if scale is not None else None)
            on_device = on_device or chunk.device is not None
            work.append((chunk, slot, present))
        for chunk, slot in held.values():
            chunk.layout.cancel(slot)
        try:
            if on_device:
                _copy_from_device(targets, sources)
            else:
                compat.copy_all(targets, sources)
            if scaled:
                scale = float(scale)
                for view in scaled:
                    view.div_(scale)
            for chunk, slot, _ in work:
                if chunk.aside is not None:
                    start = chunk.layout.slots[slot]
                    self.session.buffer[start : start + chunk.layout.bytes] = chunk.aside
        except Exception:
            for chunk, slot, _ in work:
                chunk.layout.cancel(slot)
            self.apply()
            raise
        self.held = work

    def publish(self, at):
        """Publish what ``copy`` copied."""
        self.carrier.publish(at)
        work, self.held = self.held, []
        for chunk, slot, present in work:
            if present is None or any(present):
                chunk.layout.publish(slot, at[0], at[1], at[2], present)
            else:
                chunk.layout.cancel(slot)

    def cancel(self):
        """Give back what ``copy`` copied: the update did not happen."""
        self.carrier.cancel()
        work, self.held = self.held, []
        for chunk, slot, _ in work:
            chunk.layout.cancel(slot)

    def _views(self, chunk, slot):
        layout, entries = chunk.layout, chunk.entries
        buffer, start = self.session.buffer, layout.slots[slot]
        if chunk.many():
            buffer = chunk.aside = bytearray(layout.bytes)
            slot = start = 0
        parts = [(e.dtype, e.shape, o) for e, o in zip(entries, layout.offsets)]
        views = chunk.views[slot] = compat.views(buffer, start, layout.bytes, parts)
        return views

    def gather(self, chunk, views, targets, sources, scaled):
        """Append what is there of a chunk to sources, and of views (one for each entry) to targets, those of gradients to scaled too; presence, or None."""
        present = None
        for i, e in enumerate(chunk.entries):
            t = e.tensor()
            e.seen = True
            if t is None and self.given and e.grad:
                t = self.given.get(id(e.parameter()))
            if t is not None and t.layout is not _STRIDED:
                t = self._dense(e, t)
            if t is None or t.shape != e.shape or t.dtype is not e.dtype:
                if t is not None:
                    self._changed(e, t)
                elif e.module() is None:
                    self.stale = True
                elif e.placements is not None:
                    self._elsewhere(e)
                if present is None:
                    present = bytearray(b"\x01") * len(chunk.entries)
                present[i] = 0
                continue
            targets.append(views[i])
            sources.append(t)
            if scaled is not None and e.grad:
                scaled.append(views[i])
        return present

    def _dense(self, e, t):
        d = compat.dense(t)
        if d is None:
            self.missing(e, "sparse gradient of %d elements" % t.numel())
        return d

    def _elsewhere(self, e):
        """A gradient is divided between the processes in another way than its parameter, or not added up yet."""
        p = e.parameter()
        t = p.grad if e.grad and p is not None else p
        if t is not None:
            self.missing(e, "divided between processes otherwise than its parameter: %s" % (getattr(t, "placements", "whole"),))

    def _changed(self, e, t):
        if e.told is None and not e.grad:
            self.stale = True
        if t.dtype is not e.dtype:
            self.missing(e, "element type changed from %s to %s" % (e.dtype, t.dtype))
        else:
            self.missing(e, "shape changed from %s to %s" % (list(e.shape), list(t.shape)))

    def missing(self, e, reason):
        if e.told != reason:
            e.told = reason
            self.session.missing([(e.name, reason, 1)])

    def _loose(self, chunk, at, scale):
        """Tensors without a frame travel alone, large ones in pieces."""
        for e in chunk.entries:
            t = e.tensor()
            e.seen = True
            if t is not None:
                t = compat.dense(t)
            if t is not None and t.shape == e.shape and t.dtype is e.dtype:
                if scale is not None and e.grad:
                    t = t.detach() / (scale if device.far(t) else float(scale))
                self.send(e.id, t, 0, at)

    def send(self, id, tensor, shape_id, at, force_raw=False):
        """Publish one tensor by itself, as ``send``; one of a device when it has arrived: None then."""
        if self.carrier.tensor(id, tensor, shape_id, at, force_raw):
            return None
        return send(self.session, id, tensor, shape_id, at, force_raw)

    def norms(self, owner, gradients=False):
        """Sum of the norms of an owner's weights, or of its gradients, as a one-element tensor: equal on all ranks that hold the same ones."""
        weights = [e.tensor() for e in self.entries if e.owner is owner and e.grad == gradients and e.placements is None and not e.root.flattened]
        weights = [w.detach() for w in weights if w is not None and w.layout is _STRIDED and w.is_floating_point() and w.numel()]
        if not weights:
            return None
        with torch.no_grad():
            by = {}
            for w in weights:
                by.setdefault((w.device, w.dtype), []).append(w)
            sums = [torch.stack(compat.norms(some, 2)).sum(dtype=torch.float64) for some in by.values()]
            return torch.stack([s.to(weights[0].device) for s in sums]).sum()


def _copy_from_device(targets, sources):
    """Copy from CUDA through pinned memory with one wait for all."""
    staged = []
    with torch.no_grad():
        for target, source in zip(targets, sources):
            if source.is_cuda:
                pinned = torch.empty(source.shape, dtype=source.dtype, pin_memory=True)
                pinned.copy_(source, non_blocking=True)
                staged.append((target, pinned, source.device))
            else:
                target.copy_(source)
        for device in {d for _, _, d in staged}:
            torch.cuda.current_stream(device).synchronize()
        for target, pinned, _ in staged:
            target.copy_(pinned)


def send(session, id, tensor, shape_id, at, force_raw=False, between=False):
    """Publish one tensor by itself: through the free area, in pieces when it is larger. As Session.whole."""
    source = tensor.detach()
    nbytes = compat.nbytes(source)
    flat = []

    def copy(offset, start, n):
        with torch.no_grad():
            if n == nbytes:
                compat.view(session.buffer, source.dtype, source.shape, offset).copy_(source)
                return
            if not flat:
                flat.append(source.contiguous().view(-1).view(torch.uint8))
            compat.view(session.buffer, torch.uint8, (n,), offset).copy_(flat[0][start : start + n])

    return session.whole(id, compat.DTYPE_CODES[source.dtype], shape_id, nbytes, copy, at[0], at[1], at[2], force_raw, between)
