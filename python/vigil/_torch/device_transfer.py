"""What is due on a device, brought to the host without making the training wait.

Values are first put aside on the device, on the training's own stream: a copy
inside the device takes a hundredth of one to the host, and from then on the
update may change the weights. (The other way, copying from the weights on a
side stream and having the update wait for it, would hold the device up for the
whole transfer.) A side stream brings them into pinned memory. Beyond the bounds
of vigil._torch.device, or when the device is out of memory, they are copied to
pinned memory on the training's stream: the device is held up then, the script
is not. Where statistics are enough they are computed on the device, and only
they are brought.

A step's records are published when the last of its values has arrived, which
is looked at when later steps close. Nothing here waits outside of a step that
saves, and there once: for what the step before it saved.
"""

import torch

from vigil import _wire
from vigil._torch import compat, device, device_statistics, pending_transfers

RECIPES = 8  # lists of tensors whose layout in rows is kept


class Carrier(pending_transfers.Flights):
    """Puts what is due of a process's Frames, and single tensors, on their way."""

    def __init__(self, frames):
        super().__init__()
        self.frames = frames
        self.recipes = {}

    def session(self):
        return self.frames.session

    def take(self, chunks, scale):
        """Begin to bring chunks of the Frames, for the update that comes; those that are left have to be copied in another way."""
        self.cancel()
        left, by = [], {}
        for chunk in chunks:
            by.setdefault(chunk.device, []).append(chunk)
        for from_, mine in by.items():
            if from_ is None:
                left += mine
            elif from_.capturing():
                for chunk in mine:
                    self._captured(chunk.entries)
            else:
                if isinstance(scale, torch.Tensor):
                    scale = scale.detach().reshape(()).to(from_.device, non_blocking=True)
                began = from_.mark()
                before = len(self.waiting)
                for chunk in self._reduced(from_, mine, scale):
                    self.frames.lay_out(chunk)
                    if chunk.layout is None or not self._frame(chunk, scale):
                        left.append(chunk)
                if len(self.waiting) > before:
                    self.waiting[-1].took = (began, from_.mark())
        return left

    def _reduced(self, from_, chunks, scale):
        """Have the statistics of chunks computed where these are enough; the other chunks."""
        # The counting is exact in any order, but a deterministic training forbids its operation.
        if from_.cramped or torch.are_deterministic_algorithms_enabled():
            return chunks
        mine = [c for c in chunks if c.reduce]
        entries, tensors, scaled = [], [], []
        for chunk in mine:
            self.frames.gather(chunk, chunk.entries, entries, tensors, scaled)
        if any(t.device != from_.device for t in tensors):
            return chunks
        if entries:
            scaled = {id(e) for e in scaled} if scale is not None else ()
            if not self._reduce(from_, entries, tensors, {i for i, e in enumerate(entries) if id(e) in scaled}, scale):
                return chunks
        return [c for c in chunks if not c.reduce]

    def _frame(self, chunk, scale):
        """Have the tensors of a chunk come as one frame. False: they have to be copied in another way."""
        from_, layout = chunk.device, chunk.layout
        places, sources, scaled = [], [], []
        present = self.frames.gather(chunk, range(len(chunk.entries)), places, sources, scaled)
        if any(s.device != from_.device for s in sources):
            return False
        if scale is None:
            scaled = []
        if not places:
            return True
        flight = self._flight(from_, layout.bytes)
        if flight is None:
            return False

        def views(memory, which):
            out = []
            for i in which:
                e, at = chunk.entries[i], layout.offsets[i]
                out.append(memory[at : at + e.nbytes].view(e.dtype).view(e.shape))
            return out

        memory = self._aside(from_, layout.bytes, flight)
        if memory is None and scaled:
            self._done(flight)  # only the device knows the scale
            return False
        with torch.no_grad():
            if memory is not None:
                compat.copy_all(views(memory, places), [s.detach() for s in sources])
                compat.divide_all(views(memory, scaled), scale)
                flight.event = from_.bring([(flight.pinned[: layout.bytes], memory)])
            else:
                flight.event = from_.bring_from(list(zip(views(flight.pinned, places), [s.detach() for s in sources])))

        def land(session, at):
            if not layout.taken():  # the plan changed meanwhile, and its place is another's
                for i in places:
                    e, start = chunk.entries[i], layout.offsets[i]
                    self._send(session, e.id, flight.pinned[start : start + e.nbytes], compat.DTYPE_CODES[e.dtype], 0, at)
                return
            slot = layout.acquire()
            if slot is None:
                session.drop(chunk.entries[0].id, len(chunk.entries), _wire.FULL, *at)
                return
            compat.view(session.buffer, torch.uint8, (layout.bytes,), layout.slots[slot]).copy_(flight.pinned[: layout.bytes])
            layout.publish(slot, at[0], at[1], at[2], present)

        flight.land = land
        self.waiting.append(flight)
        return True

    def tensor(self, id, tensor, shape_id, at, force_raw=False):
        """Have one tensor come by itself. False: it has to be copied in another way."""
        from_ = device.of(tensor)
        if from_ is None or not tensor.numel():
            return False
        if from_.capturing():
            return True
        source = tensor.detach()
        nbytes = compat.nbytes(source)
        flight = self._flight(from_, nbytes)
        if flight is None:
            return False
        with torch.no_grad():
            target = flight.pinned[:nbytes].view(source.dtype).view(source.shape)
            memory = self._aside(from_, nbytes, flight)
            if memory is not None:
                memory.view(source.dtype).view(source.shape).copy_(source)
                flight.event = from_.bring([(flight.pinned[:nbytes], memory)])
            else:
                flight.event = from_.bring_from([(target, source)])
        flight.land = lambda session, at: self._send(session, id, flight.pinned[:nbytes], compat.DTYPE_CODES[source.dtype], shape_id, at, force_raw)
        flight.at = at
        self.flying.append(flight)
        return True

    def _reduce(self, from_, entries, tensors, scaled, scale):
        """Compute the statistics of tensors, all of one device. False: there is no memory for that, and the values have to be copied."""
        key = tuple(e.id for e in entries)
        recipe, index = self._recipe(key, tensors, from_)
        head = len(recipe.head)
        flight = self._flight(from_, recipe.nbytes - head)
        if flight is None:
            return False
        try:
            numbers, counts = device_statistics.compute(recipe, tensors, index, scale, scaled)
        except RuntimeError as error:
            self._cramped(from_, error)
            self._done(flight)
            return False
        middle = recipe.total * device_statistics.NUMBERS * 8
        data = flight.pinned[: recipe.nbytes - head]
        flight.event = from_.bring([(data[:middle], numbers.view(-1).view(torch.uint8)), (data[middle:], counts.view(-1).view(torch.uint8))])

        def land(session, at):
            def copy(offset):
                session.buffer[offset : offset + head] = recipe.head
                compat.view(session.buffer, torch.uint8, (recipe.nbytes - head,), offset + head).copy_(data)

            if not session.reduced(recipe.count, device_statistics.WIDTH, recipe.nbytes, copy, *at):
                session.drop(key[0], recipe.count, _wire.FULL, *at)

        flight.land = land
        self.waiting.append(flight)
        return True

    def _recipe(self, key, tensors, from_):
        """(Recipe, its places on the device) of a list of tensors."""
        made = self.recipes.get(key)
        if made is None:
            recipe = device_statistics.Recipe(key, tensors)
            places = from_.pinned(16 * recipe.total).view(torch.int64).view(2, recipe.total)
            places.copy_(torch.tensor(recipe.places(), dtype=torch.int64, device="cpu"))
            made = recipe, places.to(from_.device, non_blocking=True)
            while len(self.recipes) >= RECIPES:
                self.recipes.pop(next(iter(self.recipes)))
            self.recipes[key] = made
        return made

    def _captured(self, entries):
        for e in entries:
            self.frames.missing(e, "a CUDA graph is being captured: its values cannot be read")

    def _send(self, session, id, data, dtype, shape_id, at, force_raw=False):
        def copy(offset, start, n):
            compat.view(session.buffer, torch.uint8, (n,), offset).copy_(data[start : start + n])

        session.whole(id, dtype, shape_id, data.numel(), copy, at[0], at[1], at[2], force_raw)
