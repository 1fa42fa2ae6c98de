"""How the learning rate of a training went: a rate now and then, and the one that its schedule started from."""

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
