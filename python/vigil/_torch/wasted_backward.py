"""Operations that backward goes through although nothing that is trained lies behind them.

Parameters that ask for gradients and that no optimiser changes, at the input side
of a network: without them backward would end where the trained ones begin.
"""

import torch

from vigil._torch.operations import WEIGHTED, leaf_of, neutral
from vigil._torch.settings import plain


class Wasted(object):
    """What is seen of it in the graphs of one step. trained: ids of the parameters that optimisers change."""

    def __init__(self, trained):
        self.trained = trained
        self.operations = 0  # behind which nothing is trained
        self.all = 0
        self.behind = set()  # ids of the parameters that those use
        self.before = set()  # ids of the parameters that the others use

    def take(self, nodes, below):
        """A graph, each node before those below it. below: id of a node -> ids of those below it."""
        needed, computes = set(), set()  # ids of nodes: what is behind them is trained, or asked for; a layer is behind them, or they are one
        for node in reversed(nodes):
            at, kind = id(node), type(node).__name__
            under = below.get(at, ())
            if kind == "AccumulateGrad":
                # The gradient of what is no parameter was asked for: an input, a mask, an image that is made.
                if id(node.variable) in self.trained or not isinstance(node.variable, torch.nn.Parameter):
                    needed.add(at)
                continue
            if any(c in needed for c in under) or kind.startswith("BackwardHook"):  # a hook on a module is given its gradient
                needed.add(at)
            if any(c in computes for c in under) or neutral(node) in WEIGHTED:
                computes.add(at)
        if not nodes or id(nodes[0]) not in needed:
            return  # nothing of it is trained
        for node in nodes:
            at = id(node)
            if at not in needed and at not in computes or leaf_of(node) is not None:  # the parameters themselves cost nothing
                continue
            idle = at not in needed
            self.all += 1
            self.operations += idle
            leaves = [leaf_of(n) for n, _ in node.next_functions]
            (self.behind if idle else self.before).update(id(leaf) for leaf in leaves if leaf is not None)

    def gather(self, trained):
        """(WastedFacts or None, ids of the parameters that only such operations use). trained: as it is now; what has changed meanwhile may change again."""
        if not self.operations or trained != self.trained:
            return None, frozenset()
        return {"operations": self.operations, "of": self.all}, frozenset(self.behind - self.before - self.trained)


def changed_by(optimisers):
    """Ids of the parameters that optimisers change: not those of a group whose rate is 0, and that no scheduler changes."""
    ids = set()
    for optimiser in optimisers:
        for group in optimiser.param_groups:
            if plain(group.get("lr")) != 0 or "initial_lr" in group:
                ids.update(id(p) for p in group["params"])
    return ids
