"""How the learning rate of a training went: a rate now and then, and the one that its schedule started from."""

import weakref

from vigil._torch.reduce_lr_on_plateau import Plateau
from vigil._torch.settings import plain

MOST = 64  # rates that are kept


class Schedule(object):
    """The largest rate of the groups of a training's only optimiser."""

    def __init__(self):
        self.initial = None  # what schedulers note as the rate that they scale
        self.steps, self.rates = [], []
        self.plateau = Plateau()

    def take(self, n, optims):
        """After n updates. optims: states of the optimisers of this training."""
        optimiser = optims[0].ref() if len(optims) == 1 else None
        if optimiser is None or (self.steps and self.steps[-1] >= n):
            return
        rates = [r for r in (plain(g.get("lr")) for g in optimiser.param_groups) if r is not None]
        if not rates:
            return
        bases = [plain(g.get(name)) for g in optimiser.param_groups for name in ("initial_lr", "max_lr")]
        self.initial = max([b for b in bases if b is not None] + [self.initial or 0.0]) or None
        if len(self.steps) >= MOST:
            del self.steps[1::2], self.rates[1::2]
        self.steps.append(int(n))
        self.rates.append(max(rates))

    def gather(self):
        """ScheduleFacts without their place, or None."""
        if len(self.steps) < 2:
            return None
        out = {"initial": self.initial, "steps": self.steps, "rates": self.rates}
        return dict(out, plateau=self.plateau.facts) if self.plateau.facts else out


class WarmUps(object):
    """Which optimisers have a rate that only rose so far: what they step with now is not the rate of the training."""

    def __init__(self):
        self.seen = weakref.WeakKeyDictionary()  # state of an optimiser -> [update, rate, whether it rose; None: it fell, or stood still after it had risen]

    def take(self, n, optims):
        """After n updates."""
        for state in optims:
            rate = self._rate(state)
            before = self.seen.get(state)
            if rate is None or before is not None and (before[0] >= n or before[2] is None):
                continue
            rises = False if before is None else True if rate > before[1] else None if before[2] or rate < before[1] else False
            self.seen[state] = [int(n), rate, rises]

    def of(self, state):
        """WarmUpFacts of an optimiser whose rate rises, else None."""
        seen, optimiser = self.seen.get(state), state.ref()
        if optimiser is None or seen is None or not seen[2]:
            return None
        out = {"step": seen[0]}
        group = optimiser.param_groups[0]
        bases = [b for b in (plain(group.get(name)) for name in ("initial_lr", "max_lr")) if b is not None]
        if bases and max(bases) > seen[1]:
            out["to"] = max(bases)
        return out

    def _rate(self, state):
        optimiser = state.ref()
        return plain(optimiser.param_groups[0].get("lr")) if optimiser is not None and optimiser.param_groups else None
