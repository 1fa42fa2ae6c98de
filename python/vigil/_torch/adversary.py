"""Whether a network and its critic pull against each other: what the losses of both ask of the critic's scores.

A critic gives one number for each sample. Of some samples another model has made the input, of the others the data. The gradient of a loss
by these scores is flat (a Wasserstein or a hinge loss) or goes up through a score at which it would be zero (squared errors, cross-entropy).
"""

import collections

import torch

from vigil._torch import device, summary
from vigil._torch.activations import tensors
from vigil._torch.operations import neutral, through

LEAST = 4  # samples
MOST = 1 << 16
KEPT = 16  # calls between two updates
NEAR = 0.25

Pull = collections.namedtuple("Pull", ["sign", "zero", "score"])  # zero: the score that it leads to, None of a flat one; score: the mean one


class Adversary(object):
    """Follows calls of models with what others gave, and the updates that come of them."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.made = []  # [(root, tensor)] of this step: kept, so that nothing else gets their place in memory
        self.calls = []  # [_Call] since the last update
        self.last = {}  # critic -> (pull on what was made, pull on data) at its last update
        self.found = {}  # (critic, maker) -> counts
        self.off = False

    def gave(self, root, args, output):
        """A model returned."""
        if self.off or len(self.tracker.roots) < 2:
            return
        given = [t for t in tensors(args)][:2]
        outputs = [t for t in tensors(output)][:2]
        if len(outputs) == 1 and given and self._scores(given[0], outputs[0]) and len(self.calls) < KEPT:
            maker = next((r for r, t in reversed(self.made) if r is not root and t.data_ptr() == given[0].data_ptr() and t.numel() == given[0].numel()), None)
            call = _Call(root, maker, given[0].requires_grad, outputs[0].detach(), squashed(outputs[0]))
            outputs[0].register_hook(lambda grad: self._pulled(call, grad))
            self.calls.append(call)
        self.made.extend((root, t.detach()) for t in outputs if t.is_floating_point() and t.dim() > 1 and not t.is_meta)
        del self.made[:-KEPT]

    def _scores(self, given, output):
        return (
            output.requires_grad
            and output.grad_fn is not None
            and output.is_floating_point()
            and given.dim() > 1
            and LEAST <= output.numel() == given.shape[0] <= MOST
            and summary.readable(output)
            and not device.capturing(output)
        )

    def _pulled(self, call, grad):
        """The gradient by the scores of a call is there."""
        t = self.tracker
        if not self.off and t.in_backward and not t.grads.seen and summary.readable(grad) and not device.capturing(grad):
            with torch.no_grad():
                call.grad = grad.detach().reshape(-1) if call.grad is None else call.grad + grad.detach().reshape(-1)

    def update(self, state):
        """An optimiser is about to step."""
        calls, self.calls = [c for c in self.calls if c.grad is not None], []
        if self.off or not calls:
            return
        for critic in {id(c.root): c.root for c in calls}.values():
            ours = [c for c in calls if c.root is critic]
            makers = {id(c.maker): c.maker for c in ours if c.maker is not None}
            if len(makers) != 1 or len({c.through for c in ours if c.maker is not None}) != 1:
                continue
            (maker,) = makers.values()
            holds = _holds(state, critic, maker), _holds(state, maker, critic)
            counts = self.found.setdefault((critic, maker), collections.Counter())
            made = _one([c.pull() for c in ours if c.maker is not None])
            if holds == (True, False):
                data = _one([c.pull() for c in ours if c.maker is None])
                self.last[id(critic)] = made, data
                if made and data:
                    counts["alike" if alike(made, data) else "apart"] += 1
                    counts["squashed"] += made.zero is None and data.zero is None and all(c.squashed for c in ours)
            elif holds == (False, True) and len(ours) == 1:
                before, data = self.last.get(id(critic), (None, None))
                if made and before and data and not alike(before, data):
                    counts["helps" if helps(made, before, data) else "opposes"] += 1
            else:
                self.off = True

    def closed(self):
        """A step is over."""
        self.made = []

    def gather(self):
        """AdversaryFacts or None."""
        for (critic, maker), counts in self.found.items():
            if counts:
                return dict({n: counts[n] for n in ("apart", "alike", "opposes", "helps", "squashed")}, critic=critic.name, maker=maker.name)
        return None


class _Call(object):
    def __init__(self, root, maker, through, scores, squashed):
        self.root, self.maker, self.scores, self.squashed = root, maker, scores, squashed
        self.through = through  # gradients go on to what was given
        self.grad = None

    def pull(self):
        return pull(self.scores.reshape(-1), self.grad)


def pull(scores, grad):
    """The Pull of gradients by scores, None where they are neither flat nor lead up through a zero."""
    with torch.no_grad():
        o, g = scores.double().cpu(), grad.double().cpu()
        if not bool((torch.isfinite(o) & torch.isfinite(g)).all()):
            return None
        some = g[g != 0]
        if not len(some):
            return None
        if float(some.max() - some.min()) <= 1e-5 * float(some.abs().mean()):
            return Pull(1 if float(some[0]) > 0 else -1, None, float(o.mean()))
        if len(some) < len(g):
            return None
        do, dg = o - o.mean(), g - g.mean()
        spread = float(do.norm() * dg.norm())
        together = float(do @ dg)
        if not spread or abs(together) < 0.9 * spread:
            return None
        slope = together / float(do @ do)
        return Pull(1 if slope > 0 else -1, float(o.mean() - g.mean() / slope), float(o.mean()))


def squashed(scores):
    """Whether the last that a critic does is a sigmoid."""
    last = through(scores.grad_fn)
    return last is not None and neutral(last) == "sigmoid"


def _one(pulls):
    """The first of pulls that all say the same, or None."""
    if not pulls or None in pulls or any((p.zero is None) != (pulls[0].zero is None) or p.sign != pulls[0].sign for p in pulls):
        return None
    return pulls[0]


def alike(a, b):
    """Whether two pulls ask for the same."""
    if a.sign != b.sign or (a.zero is None) != (b.zero is None):
        return False
    return a.zero is None or abs(a.zero - b.zero) < NEAR * min(abs(a.score - a.zero), abs(b.score - b.zero))


def helps(maker, made, data):
    """Whether a maker's loss asks of the scores of what it makes what the critic asks of them, and not what the critic asks of data."""
    if maker.sign != made.sign or (maker.zero is None) != (made.zero is None):
        return False
    if maker.zero is None:
        return data.zero is None and data.sign != made.sign
    return maker.sign > 0 and data.zero is not None and data.sign > 0 and abs(maker.zero - made.zero) < NEAR * abs(data.zero - made.zero)


def _holds(state, root, other):
    """Whether an optimiser holds parameters of a root. A module that has both as parts is called for one of them: what the other has too is not its own."""
    inner, beside = root.inner(), other.inner()
    if inner is None or beside is None:
        return False
    theirs = {id(p) for p in beside.parameters()} if any(m is beside for m in inner.modules()) else ()
    return any(state.has(p) for p in inner.parameters() if id(p) not in theirs)
