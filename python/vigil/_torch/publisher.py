"""What goes to the agent: announcements, the plan in force, and closed steps in order."""

import os
import time

import torch

from vigil import _guard, _schedule
from vigil._session import Session
from vigil._torch import compat, device, names, optimiser_state, parameter_frames, provenance, root_model, sharded_tensors

# Digests of weights and gradients in a job of several ranks: at first at every step, to see whether ranks that come apart meet again.
DIGEST_FIRST = 32
DIGEST_EVERY = 50


class Publisher(_schedule.Due):
    """The session of this process and all that was announced in it."""

    def __init__(self, activations):
        super().__init__()
        self.session = None
        self.activations = activations
        self.frames = parameter_frames.Frames()
        self.states = optimiser_state.OptimiserStates(self.frames)
        self.known = {}  # name -> (id, dtype, shape) of parameters and gradients
        self.frozen = []  # (root, entry) of parameters without a gradient
        self.series = {}  # name of a loss -> id
        self.queue = []  # closed steps whose numbers are on their way from a device
        self.of_parameters = frozenset()  # indexes of schedules that parameters and gradients go by
        self.rank = 0
        self.world = 1

    def connect(self, start, dir, name, weights=()):
        """Connect; whether there is a session. weights: some that are trained."""
        self.rank, local_rank, self.world = ranks()
        # Several processes that train weights in shared memory (torch.multiprocessing) are one training, and no ranks.
        shares = self.world == 1 and any(p.device.type == "cpu" and p.layout is torch.strided and p.is_shared() for p in weights)
        self.session = Session.connect(
            "pytorch", compat.VERSION, self.rank, local_rank, self.world, start=start, dir=dir, name=name, reduces=device.there(), shares=shares
        )
        if self.session is None:
            return False
        self.session.ring.patience = _schedule.PATIENCE
        self.session.provenance(provenance.of_torch(weights))
        self.frames.session = self.session
        self.frames.first_sight = self.rank == 0
        return True

    def announce(self, root, owner_of, taken):
        """Announce a root's modules, parameters and gradients."""
        tree = root.modules()
        if tree != root.tree:
            root.tree = tree
            self.session.announce_modules(root.type, tree)
        inner = root.inner()
        if isinstance(inner, torch.nn.Module):
            root.parts = frozenset(id(m) for m in inner.modules())
        entries, missing = root_model.announce(self.session, root, owner_of, self.known, taken)
        there = {(e.name, id(e.root)) for e in self.frames.entries}
        for e in entries:
            if (e.name, id(e.root)) not in there:
                self.frames.add(e)
        trained = {e.name for e in entries if e.grad}
        self.frozen = [f for f in self.frozen if f[0] is not root]
        self.frozen += [(root, e) for e in entries if not e.grad and "gradient/" + e.name not in trained]
        if missing:
            self.session.missing(missing)

    def renew(self, all_roots, owner_of):
        """Announce what was put into the models, and forget what is no longer in them."""
        self.frames.stale = False
        taken = set()
        went = []
        for root in all_roots:
            inner = root.inner()
            if inner is None:
                continue
            root.by_path = None
            there = {(id(p.module), p.key) for p in names.parameters(inner)}
            gone = [e for e in self.frames.entries if e.root is root and not _as_announced(e, there)]
            self.frames.leave(gone)
            self.announce(root, owner_of, taken)
            left = {e.name for e in self.frames.entries if e.root is root} if gone else ()
            went += [(e.name, "removed from the model", 1) for e in gone if not e.grad and e.name not in left]
        if went:
            self.session.missing(went)
        self.frames.apply()

    def unfrozen(self):
        """The roots in which a frozen parameter is trained by now."""
        found = []
        for root, entry in self.frozen:
            p = entry.tensor()
            if p is not None and p.requires_grad and root not in found:
                found.append(root)
        return found

    def wait_for_plan(self):
        """The plan for what was just announced comes within milliseconds; the first step waits for it."""
        wanted = [e.id for e in self.frames.entries][-1:]
        end = time.monotonic() + (_schedule.STRICT_PLAN_S if _guard.strict else _schedule.FIRST_PLAN_S)
        while time.monotonic() < end and self.session.alive:
            if self.take_plan() and all(id in self.session.plan.tensors for id in wanted):
                return
            time.sleep(0.001)

    def take_plan(self):
        """Apply a plan that has come; whether one had."""
        plan = self.session.new_plan()
        if plan is None:
            return False
        self.frames.apply()
        self.states.apply(plan)
        self._schedules()
        self.activations.apply(plan)
        self.reschedule((0, 0, 0, 0))
        return True

    def _schedules(self):
        """Which schedules there is something to copy for; losses are read at every step as it is."""
        plan = self.session.plan
        self.of_parameters = {i for e in self.frames.entries for i in plan.tensors.get(e.id, ())}
        used = self.of_parameters | {m[2] for m in plan.modules}
        if plan.values:
            used |= {i for e in self.frames.entries for i in plan.values.get(e.id, ())}
        self.use(plan, used)

    def loss_id(self, name, module_type=None, alias_of=None):
        """The id of a loss series, announced when it is met first."""
        id = self.series.get(name)
        if id is None:
            info = {"name": name, "kind": "loss", "dtype": "F64", "shape": []}
            if module_type:
                info["module_type"] = module_type
                info["module"] = module_type
            if alias_of:
                info["alias_of"] = alias_of
            id = self.series[name] = self.session.announce_tensors([info])[0]
        return id

    def metric_id(self, name, kind="scalar"):
        """The id of a number of our own, announced when it is met first."""
        id = self.series.get(name)
        if id is None:
            id = self.series[name] = self.session.announce_tensors([{"name": name, "kind": kind, "dtype": "F64", "shape": []}])[0]
        return id

    def samples_id(self, sums):
        """The id of the series of how many samples the loss of an evaluation step is of: their mean, or their sum."""
        return self.metric_id("samples/sum" if sums else "samples/mean", "samples")

    def close(self, step, scalars, skipped, seconds, own_ns, flag):
        """Publish a closed step: scalars is a list of (id, float or Mean); flag, a Mean that is not 0 when the update was skipped."""
        flights = self.frames.carrier.of(step.number())
        item = (step.number(), step.mode, step.mode_step, scalars, skipped, seconds, own_ns, flag, flights, self.kind(step.due) if flights else None)
        later = bool(self.queue) or flag is not None or bool(flights)
        for _, value in scalars:
            if type(value) is not float:
                later = True
        if later:
            self.queue.append(item)
            self.flush(False)
        else:
            self._publish(item)

    def flush(self, wait):
        """Publish what has its numbers; with wait, everything."""
        queue = self.queue
        if queue and device.recording():
            return  # looking at an event would spoil the CUDA graph that is being captured
        while queue:
            _, _, _, scalars, _, _, _, flag, flights, _ = queue[0]
            if not wait and len(queue) < 256:
                if not all(f.event.query() for f in flights):
                    return
                if any(type(v) is not float and not v.ready() for _, v in scalars) or (flag is not None and not flag.ready()):
                    return
            self._publish(queue.pop(0))

    def _publish(self, item):
        number, mode, mode_step, scalars, skipped, seconds, own_ns, flag, flights, kind = item
        session = self.session
        if flights:
            # What arrives late, and what the device did for it, is a cost of the step that captured it.
            began = time.perf_counter()
            took = self.frames.carrier.arrive(flights)
            self.auto.late(kind, took + time.perf_counter() - began)
        for id, value in scalars:
            if id is not None:
                session.scalar(id, number, mode, mode_step, value if type(value) is float else value.value())
        if flag is not None and flag.value() != 0:
            skipped = True
        session.step(number, mode, mode_step, seconds, own_ns, skipped)

    def at(self, step):
        """(step, mode, mode step) as records carry it; what was queued before must be out."""
        if self.queue:
            self.flush(True)
            self.session.begins()
        return step.number(), step.mode, step.mode_step


def _as_announced(entry, there):
    """Whether an entry's parameter is where it was, and what it was. there: (id of a module, key) of all parameters of its root."""
    p = entry.parameter()
    if p is None or (id(entry.module()), entry.key) not in there:
        return False
    if entry.placements is not None:
        if not entry.grad and not entry.as_divided(p):
            return False
        p = sharded_tensors.local(p)
    return entry.grad or (p.shape == entry.shape and p.dtype is entry.dtype)


def ranks():
    """(rank, local rank, world size) of this process."""
    out = []
    for name, default in (("RANK", 0), ("LOCAL_RANK", 0), ("WORLD_SIZE", 1)):
        try:
            out.append(int(os.environ.get(name, default)))
        except ValueError:
            out.append(default)
    distributed = getattr(torch, "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        out[0], out[2] = distributed.get_rank(), distributed.get_world_size()
        if "LOCAL_RANK" not in os.environ:
            out[1] = out[0]
    return tuple(out)
