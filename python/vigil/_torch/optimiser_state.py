"""What optimisers keep of parameters (exp_avg, momentum_buffer), copied after their update where the plan asks for it.

A tensor is called ``CLASS/PARAMETER/KEY``: ``Adam/Net_fc.weight/exp_avg``; a
second optimiser of a class that updates the same parameter is ``Adam_1``. State
exists from the first update on and is announced when it is due first. Numbers
(counts of steps, with or without a tensor around them) and what is no tensor
are left out. Tensors travel in frames, as parameters do.
"""

import weakref

import torch

from vigil._torch import compat, frame_entries, sharded_tensors

KIND = "optimizer_state"


class Kept(frame_entries.Entry):
    """One tensor that an optimiser keeps: ``state[p][key]``, whatever is there at the time."""

    __slots__ = ("of",)
    kept = True

    def __init__(self, name, id, optimiser, parameter, key, tensor, owner, placements):
        size = compat.nbytes(tensor)
        super().__init__(name, id, optimiser, key, False, tensor.dtype, tensor.shape, size, owner, owner, placements)
        self.of = weakref.ref(parameter)

    def parameter(self):
        optimiser, parameter = self.module(), self.of()
        if optimiser is None or parameter is None:
            return None
        value = optimiser.state.get(parameter, {}).get(self.key)
        return value if isinstance(value, torch.Tensor) else None


class Owner(object):
    """Stands for an optimiser as what has state, apart from what it updates."""

    flattened = divided = False

    def __init__(self):
        self.size = 0  # of the state when it was announced last


class OptimiserStates(object):
    """The state of all optimisers of a process."""

    def __init__(self, frames):
        self.frames = frames
        self.wanted = False
        self.owners = weakref.WeakKeyDictionary()  # vigil._torch.steps.Optimiser -> Owner
        self.known = {}  # name -> (id, element type, shape)

    def apply(self, plan):
        self.wanted = any(side == KIND for _, side, _ in plan.modules)

    def capture(self, state, optimiser, due, at):
        """An optimiser has stepped, and schedules are due: publish what it keeps."""
        owner = self.owners.get(state)
        if owner is None:
            owner = self.owners[state] = Owner()
        size = sum(len(of) for of in optimiser.state.values() if isinstance(of, dict))
        if size != owner.size:
            owner.size = size
            self._announce(state, optimiser, owner)
        chunks = self.frames.due(owner, due)
        if chunks:
            self.frames.copy(chunks, at)
            self.frames.publish(at)

    def _announce(self, state, optimiser, owner):
        """Announce what is new, and forget the state of optimisers that are gone."""
        self.frames.leave([e for e in self.frames.entries if e.kept and e.module() is None])
        there = {e.name for e in self.frames.entries if e.kept}
        mine = {(id(e.of()), e.key) for e in self.frames.entries if e.kept and e.owner is owner}
        found, missing = [], []
        for entry in [e for e in self.frames.entries if not e.grad and not e.kept]:
            parameter = entry.parameter()
            of = optimiser.state.get(parameter) if parameter is not None and state.has(parameter) else None
            for key, value in of.items() if isinstance(of, dict) else ():
                if not isinstance(value, torch.Tensor) or value.dim() == 0 or (id(parameter), key) in mine:
                    continue
                name = "%s/%s/%s" % (state.type, entry.name, key)
                if name in there:
                    name = "%s_%d/%s/%s" % (state.type, state.index, entry.name, key)
                whole, part = value, sharded_tensors.describe(value)
                value = sharded_tensors.local(value)
                reason = "the processes have values that are still to be summed" if part is not None and sharded_tensors.partial(whole) else compat.why_not(value)
                if reason is None and value.layout is not torch.strided:
                    reason = "sparse state of an optimiser"
                if reason is not None:
                    missing.append((name, reason, 1))
                    continue
                info = {"name": name, "kind": KIND, "dtype": compat.DTYPE_NAMES[value.dtype], "shape": [int(n) for n in value.shape], "module_type": state.type}
                if part is not None:
                    info["part"] = part
                found.append((info, parameter, key, value, getattr(whole, "placements", None)))
        session = self.frames.session
        if missing:
            session.missing(missing)
        like = {f[0]["name"]: (f[3].dtype, tuple(f[3].shape)) for f in found}
        new = [f[0] for f in found if self.known.get(f[0]["name"], (None,))[1:] != like[f[0]["name"]]]
        for info, id_ in zip(new, session.announce_tensors(new)) if new else ():
            self.known[info["name"]] = (id_,) + like[info["name"]]
        for info, parameter, key, value, placements in found:
            id_ = self.known[info["name"]][0]
            if id_ is not None:
                self.frames.add(Kept(info["name"], id_, optimiser, parameter, key, value, owner, placements))
