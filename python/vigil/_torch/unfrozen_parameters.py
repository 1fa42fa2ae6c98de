"""Parameters that ask for gradients only after a while, and get them, while no optimiser has them.

Asked of the parameters that were frozen when the first look was over, every EVERY updates; while steps are all alike and quick, more seldom.
"""

import weakref

from vigil._torch import models, names

EVERY = 16  # updates between two looks
MOST = 4000  # parameters that are followed
NAMES = 20  # that are told
NEVER = 1 << 62


class Unfrozen(object):
    """Follows the models of one training, once the first look is over."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.facts = None
        self.next = -1  # step of the next look
        self.frozen = []  # [(weak reference to a root, name, weak reference to a parameter)]
        self.seen = None  # (step, {id of a parameter: some of its values}) at the look before, where some got gradients then

    def update(self, state, step):
        """An optimiser is about to step, in ``step``."""
        if step.mode_step < self.next:
            return
        with self.tracker.facts.look.timed():
            if self.next < 0:
                self.frozen = self._frozen()
            else:
                self._look(state, step.mode_step)
            self.next = step.mode_step + EVERY if self.frozen else NEVER

    def _frozen(self):
        roots = [root for root in self.tracker.roots if root.inner() is not None]
        if self.tracker.by_hand or any(root.divided for root in roots):
            return []
        every = ((root, p) for root in roots for p in names.parameters(root.inner()) if p.shared is None and not p.value.requires_grad)
        return [(weakref.ref(root), "%s_%s" % (root.name, p.path), weakref.ref(p.value)) for (root, p), _ in zip(every, range(MOST))]

    def _look(self, state, step):
        now = [(root(), name, p()) for root, name, p in self.frozen]
        now = [(root, name, p) for root, name, p in now if root is not None and p is not None and p.requires_grad and p.grad is not None]
        held = self._held() if now else ()
        now = [one for one in now if id(one[2]) not in held]
        if self.seen is None or not now:
            self.seen = (step, {id(p): models.first_values(p) for _, _, p in now}) if now else None
            return
        since, before = self.seen
        still = [(root, name, p) for root, name, p in now if id(p) in before and models.first_values(p) == before[id(p)] and _part_held(root, held)]
        self.frozen = []
        if still:
            roots = {id(root): root for root, _, _ in still}.values()
            self.facts = {
                "since": since,
                "optimiser": state.type,
                "parameters": len(still),
                "elements": sum(p.numel() for _, _, p in still),
                "held": sum(p.numel() for root in roots for p in root.inner().parameters() if id(p) in held),
                "names": [name for _, name, _ in still[:NAMES]],
            }

    def _held(self):
        """The parameters of all optimisers but those of earlier trainings, which do not step any more."""
        old = [s.ref() for s in self.tracker.facts.look.old]
        return {id(p) for o in self.tracker.registry.optimisers() if not any(o is other for other in old) for group in o.param_groups for p in group["params"]}


def _part_held(root, held):
    """Whether an optimiser has others of a model: one that trains copies of the weights has none."""
    return root.inner() is not None and any(id(p) in held for p in root.inner().parameters())
