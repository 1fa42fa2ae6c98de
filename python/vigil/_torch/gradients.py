"""How gradients stand at updates: whether they are there, left from before, thrown away, clipped."""

import functools
import itertools
import weakref

import torch

from vigil import _guard
from vigil._torch import call_places, compat, summary

UPDATES = 8  # of each optimiser that are looked at
LARGE = 1 << 22  # elements of an optimiser's parameters, from which on fewer are
LARGE_UPDATES = 4
STARTS = 16  # backwards between two updates of an optimiser
SAMPLE = 8  # parameters whose gradients are compared
CALLS = 50  # of clipping


class Gradients(object):
    """What was seen of the first updates."""

    def __init__(self, tracker, numbers):
        self.tracker = tracker
        self.numbers = numbers
        self.states = {}  # id of an optimiser's state -> its Held
        self.updates = []  # (places of used norms and ids, of the sample's at the update before, at this one, at backwards between, after the last of them; backwards; Held)
        self.seen = {}  # id of a parameter -> places of (place, index) of its norms
        self.clip = Clip(numbers)
        self.hand = None  # the Hand of a script that updates weights itself

    def of(self, state):
        held = self.states.get(id(state))
        if held is None:
            held = self.states[id(state)] = Held(state)
            held.backwards = int(self.tracker.backward_seen)  # what came before the models were known
        return held

    def backward(self):
        """backward is about to begin: what optimisers left is what is there now."""
        if self.tracker.grads.seen:
            return  # torch.autograd.grad adds to nothing
        for held in self.states.values():
            held.backwards += 1
            if held.updates < held.most and len(held.starts) < STARTS and held.updates > 0:
                held.starts.append(self._norms(held.sample())[0])

    def backward_ends(self):
        """backward is over: what it made of the gradients."""
        if self.tracker.grads.seen:
            return
        for held in self.states.values():
            if held.updates < held.most and held.backwards <= STARTS:
                held.made = self._norms(held.sample())[0]
                if held.state is self.hand:
                    self.update(held.state)

    def by_hand(self, parameters):
        """The script has updated ``parameters`` itself: with what the last backward left in their gradients, as far as anybody can tell."""
        if self.hand is None:
            self.hand = Hand(parameters)
            self.of(self.hand)
        self.updated(self.hand)

    def update(self, state):
        """An optimiser is about to use the gradients."""
        held = self.of(state)
        if held.updates >= held.most:
            return
        parameters = held.parameters()
        held.used = self._norms(parameters)
        held.left_now = self._norms(held.sample())[0]

    def updated(self, state):
        """It has."""
        held = self.states.get(id(state))
        if held is None or held.used is None:
            return
        self.updates.append((held.used, held.left, held.left_now, held.starts, held.made, held.backwards, held))
        held.left = held.left_now
        held.updates += 1
        held.forget()

    def skipped(self, state):
        """It has not: a loss scaler found an overflow."""
        held = self.states.get(id(state))
        if held is not None:
            held.forget()
            held.left = None

    def _norms(self, parameters):
        """(place of the norms, ids of the parameters they belong to): of those without a gradient -1."""
        by = {}
        for p in parameters:
            g = p.grad
            if g is None:
                continue
            if g.layout is not torch.strided:
                g = g._values() if g.layout is torch.sparse_coo else None
            if g is None or not summary.readable(g) or not g.numel():
                continue
            by.setdefault((g.device, g.dtype), []).append((id(p), g.detach()))
        ids, places = [], []
        with torch.no_grad():
            for pairs in by.values():
                norms = _norms([g for _, g in pairs])
                ids.extend(i for i, _ in pairs)
                places.append(self.numbers.put(norms))
        return places, ids

    def gather(self, numbers):
        """(UpdateFacts without their place or None, state of the gradient by id of the parameter)."""
        states = {}
        kept = cleared = without = 0
        norms = []
        each = {}  # Held -> [updates, those that were kept]
        for (places, ids), left, now, starts, made, backwards, held in self.updates:
            own = each.setdefault(held, [0, 0])
            own[0] += 1
            used = _flat(numbers, places)
            for i, n in zip(ids, used):
                state = "zero" if n == 0 else "finite" if n - n == 0 else "non_finite"
                if _WORSE[state] > _WORSE[states.get(i)]:
                    states[i] = state
            total = 0.0
            for n in used:
                total += n * n
            norms.append(summary.number(total**0.5) if total != float("inf") else "Inf")
            there = any(n != 0 for n in used)
            if backwards == 0:
                # Gradients may come from torch.autograd.grad as well; those of the update before do not.
                without += not there or (left is not None and _flat(numbers, now) == _flat(numbers, left))
            elif not there:
                # Gradients that are zero by themselves were not thrown away.
                cleared += made is not None and any(n != 0 for n in _flat(numbers, made))
            if left is not None and starts:
                there = [_flat(numbers, s) for s in starts]
                if any(n != 0 for n in there[0]) and there[0] == _flat(numbers, left) and all(any(n != 0 for n in s) for s in there):
                    kept += 1
                    own[1] += 1
        if not self.updates:
            return None, states
        facts = {"steps": len(self.updates), "kept": kept, "cleared": cleared, "no_backward": without, "norms": norms}
        if len(each) > 1:
            facts["each"] = [{"class": held.state.type, "model": self._model(held.state), "steps": n, "kept": of} for held, (n, of) in each.items()]
        clip = self.clip.gather(numbers)
        if clip:
            facts["clip"] = clip
        return facts, states

    def _model(self, state):
        """The name of the first model that an optimiser updates a part of, "" without one."""
        for root in self.tracker.roots:
            inner = root.inner()
            if inner is not None and any(state.has(p) for p in inner.parameters()):
                return root.name
        return ""


_WORSE = {None: 0, "zero": 1, "finite": 2, "non_finite": 3}


def _flat(numbers, places):
    return [n for place in places for n in numbers[place]]


def _norms(grads):
    """The norms of gradients of one type on one device, as a vector; of those whose squares vanish the largest magnitude."""
    if grads[0].dtype in (torch.float32, torch.float64):
        out = torch.stack(compat.norms(grads, 2))
    else:  # of narrow numbers the norm may be beyond the type
        kind = torch.float32 if grads[0].element_size() <= 4 and not grads[0].is_complex() else None
        out = torch.stack([torch.linalg.vector_norm(g, 2, dtype=kind if g.element_size() < 4 else None) for g in grads])
    if out.device.type == "cpu":
        for i, n in enumerate(out.tolist()):
            if n == 0:
                out[i] = grads[i].abs().max()
        return out.to(torch.float64)
    return torch.where(out == 0, torch.stack(compat.norms(grads, float("inf"))).to(out.dtype), out).to(torch.float32)


class Hand(object):
    """What a script that updates weights itself holds, shaped like an optimiser and its state. It keeps no tensor alive."""

    type = ""

    def __init__(self, parameters):
        self.tensors = [weakref.ref(p) for p in parameters]

    def ref(self):
        return self

    @property
    def param_groups(self):
        return [{"params": [p for p in (ref() for ref in self.tensors) if p is not None]}]


class Held(object):
    """An optimiser that is looked at."""

    def __init__(self, state):
        self.state = state
        self.updates = 0
        self.most = UPDATES if sum(p.numel() for p in self.parameters()) < LARGE else LARGE_UPDATES
        self.left = None  # norms of the sample when it last stepped
        self.backwards = 0
        self.forget()

    def forget(self):
        self.used = self.left_now = None
        self.starts = []
        self.made = None
        self.backwards = 0

    def parameters(self):
        optimiser = self.state.ref()
        if optimiser is None:
            return []
        every = (p for group in optimiser.param_groups for p in group["params"] if isinstance(p, torch.Tensor) and summary.initialised(p))
        return list(itertools.islice(every, 2000))

    def sample(self):
        parameters = self.parameters()
        return parameters[:: max(len(parameters) // SAMPLE, 1)][:SAMPLE]


class Clip(object):
    """Calls of PyTorch's clipping, by norm or by value: whichever came first."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.calls = 0
        self.most = None
        self.by_value = False
        self.library = False
        self.sizes = []

    def take(self, most, size, by_value=False):
        """Gradients were clipped to ``most``; ``size`` is what they had before: their norm, or the largest magnitude among them."""
        if self.calls >= CALLS or isinstance(most, torch.Tensor) or not isinstance(size, torch.Tensor) or size.numel() != 1 or not summary.readable(size):
            return
        if self.calls and self.by_value != by_value:
            return
        self.calls += 1
        if self.most is None:
            self.most, self.by_value, self.library = float(most), by_value, call_places.by_library()
        with torch.no_grad():
            self.sizes.append((self.numbers.put(size.detach().reshape(1).to(torch.float32, copy=True)), float(most)))

    def gather(self, numbers):
        if not self.sizes:
            return None
        facts = {
            "max_norm": summary.number(self.most),
            "calls": self.calls,
            "clipped": sum(numbers[place][0] > most for place, most in self.sizes),
            "norms": [summary.number(numbers[place][0]) for place, _ in self.sizes],
        }
        if self.by_value:
            facts["by_value"] = True
        if self.library:
            facts["library"] = True
        return facts


def _largest(parameters):
    """The largest magnitude in the gradients of parameters, None when it cannot be told."""
    grads = [p.grad.detach() for p in parameters if isinstance(p, torch.Tensor) and p.grad is not None and p.grad.numel()]
    if not grads or not all(summary.readable(g) for g in grads):
        return None
    with torch.no_grad():
        kind = torch.float64 if any(g.dtype == torch.float64 for g in grads) else torch.float32
        return torch.stack([n.to(device=grads[0].device, dtype=kind) for n in compat.norms(grads, float("inf"))]).amax()


def wrap_clip(tracker):
    """Have the tracker's facts told of every call of clip_grad_norm_ and clip_grad_value_ while they are open."""

    def open_():
        return not compat.is_compiling() and tracker.facts.look.open

    @_guard.guard
    def by_norm(args, kwargs, norm):
        most = args[1] if len(args) > 1 else kwargs.get("max_norm")
        if most is not None:
            tracker.facts.clipped(most, norm)

    @_guard.guard
    def by_value(args, kwargs):
        given = args[0] if args else kwargs["parameters"]
        most = args[1] if len(args) > 1 else kwargs.get("clip_value")
        if most is not None:
            size = _largest([given] if isinstance(given, torch.Tensor) else given)
            if size is not None:
                tracker.facts.clipped(most, size, by_value=True)

    def norm_(original):
        @functools.wraps(original)
        def clip_grad_norm_(*args, **kwargs):
            norm = original(*args, **kwargs)
            if open_():
                by_norm(args, kwargs, norm)
            return norm

        return clip_grad_norm_

    def value_(original):
        @functools.wraps(original)
        def clip_grad_value_(*args, **kwargs):
            if open_():
                # A generator can be gone through once only.
                if args and not isinstance(args[0], torch.Tensor):
                    args = (list(args[0]),) + args[1:]
                elif not args and not isinstance(kwargs.get("parameters"), (torch.Tensor, type(None))):
                    kwargs["parameters"] = list(kwargs["parameters"])
                by_value(args, kwargs)
            return original(*args, **kwargs)

        return clip_grad_value_

    _wrap("clip_grad_norm_", norm_)
    _wrap("clip_grad_value_", value_)


def _wrap(name, wrapped):
    module = getattr(torch.nn.utils, "clip_grad", None)
    original = getattr(module, name, None)
    if original is None or getattr(original, "_vigil_wrapped", False):
        return
    new = wrapped(original)
    new._vigil_wrapped = True
    setattr(module, name, new)
    if getattr(torch.nn.utils, name, None) is original:
        setattr(torch.nn.utils, name, new)
