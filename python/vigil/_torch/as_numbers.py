"""Losses that were computed of a network's outputs and went into the sum as numbers.

``total = main + 0.5 * aux.item()`` has the value that was meant, and no gradient
of the second term. In one step what PyTorch's loss functions give is remembered;
those that backward does not reach, and a sum that is larger than those that it
reaches by something constant, tell it. A sum that begins with 0 has a constant,
too, but is no larger.
"""

import torch

from vigil import _guard
from vigil._torch import backend, formula, operations, penalty, summary

MOST = 256  # losses of one step
_NODES = 20000
LEAST = 0.01  # share of the sum that is constant


class AsNumbers(object):
    """Looks at the loss functions of one TRAIN step, from the first forward to the first backward."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.begun = False
        self.replaced = []  # (namespace, name, original, what took its place)
        self.given = {}  # id of a node -> (node, value, function); the nodes are held until the step ends
        self.reached = set()  # of these
        self.leaves = set()  # ids of parameters that a backward reached
        self.place = None
        self.whole = True
        self.lost = None  # (functions, ids of parameters that only losses which nothing reached depend on)

    @_guard.guard
    def begins(self):
        """The first model is called in a step that is looked at."""
        if self.begun or backend.compiler_used or backend.is_compiling():
            return
        self.begun = True
        for name, places in formula.PLACES.items():
            for space, at, _ in places:
                original = getattr(space, at, None)
                if original is not None and all(r[:2] != (space, at) for r in self.replaced):
                    instead = self._instead(original, name)
                    setattr(space, at, instead)
                    self.replaced.append((space, at, original, instead))

    def ends(self):
        """Put everything back."""
        replaced, self.replaced = self.replaced, []
        for space, name, original, instead in replaced:
            if getattr(space, name, None) is instead:
                setattr(space, name, original)

    def _instead(self, original, name):
        def function(*args, **kwargs):
            out = original(*args, **kwargs)
            if self.replaced and not backend.is_compiling():
                self._gave(name, out)
            return out

        formula.known_to_script(function, original)
        return function

    @_guard.guard
    def _gave(self, name, out):
        node = out.grad_fn if isinstance(out, torch.Tensor) else None
        if node is not None and len(self.given) < MOST:
            self.given[id(node)] = (node, out.detach() if out.numel() == 1 else None, name)

    @_guard.guard
    def backward(self, loss):
        """backward begins on a tensor."""
        self.ends()
        if not self.given or loss.grad_fn is None:
            return
        ids, leaves, complete = _below(loss.grad_fn)
        self.whole = self.whole and complete
        self.reached.update(ids.intersection(self.given))
        self.leaves.update(leaves)
        if self.place is None and len(self.reached) < len(self.given) and loss.numel() == 1 and summary.readable(loss):
            known = self._sum(loss.grad_fn)
            if known is not None:
                self.place = self.numbers.put(torch.stack([x.detach().reshape(()).to(torch.float32) for x in (loss, known)]))

    def _sum(self, node):
        """The sum of the terms of a loss, without its constants; None where it has others than losses that are known, or no constant."""
        total, constant, stack = None, False, [(node, 1.0)]
        for _ in range(_NODES):
            if not stack:
                break
            node, factor = stack.pop()
            if node is None:
                constant = True
                continue
            name, below = operations.base(node), [n for n, _ in node.next_functions]
            given = self.given.get(id(node))
            if given is not None:
                if given[1] is None:
                    return None
                total = factor * given[1] + (0 if total is None else total)
            elif name in ("Add", "Sub"):
                sign = float(getattr(node, "_saved_alpha", 1)) * (-1 if name == "Sub" else 1)
                stack.extend((n, factor * (sign if i else 1.0)) for i, n in enumerate(below))
                constant = constant or len(below) < 2
            elif name in ("Mul", "Div"):
                scaled = penalty.scaled(node, name)
                if scaled is None:
                    return None
                stack.append((scaled[0], factor * scaled[1]))
            elif name in operations.SHAPES and name != "AccumulateGrad":
                stack.append((below[0], factor))
            else:
                return None
        return total if constant and not stack else None

    @_guard.guard
    def closed(self):
        """The step has closed."""
        self.ends()
        given, self.given = self.given, {}
        lost = [one for at, one in given.items() if at not in self.reached]
        if self.place is None or not lost or not self.whole:
            return
        leaves = set()
        for node, _, _ in lost:
            leaves.update(_below(node)[1])
        self.lost = sorted({name for _, _, name in lost}), leaves - self.leaves

    def gather(self, numbers, parameters):
        """AsNumbersFacts, or None. parameters: (name, id) of all that are known."""
        self.given = {}
        if self.lost is None:
            return None
        functions, ids = self.lost
        whole, known = numbers[self.place]
        names = [name for name, at in parameters if at in ids]
        if not names or not abs(whole - known) > LEAST * max(abs(whole), abs(known)):
            return None
        return {"functions": functions, "constant": summary.number(whole - known), "parameters": names[:200]}


def _below(node):
    """(ids of the nodes below one, ids of the leaves, whether these are all)."""
    seen, leaves, stack = {}, set(), [node]  # keeps the nodes: the id of one that is gone may come again
    while stack:
        node = stack.pop()
        if node is None or id(node) in seen:
            continue
        if len(seen) >= _NODES:
            return set(seen), leaves, False
        seen[id(node)] = node
        if type(node).__name__ == "AccumulateGrad":
            leaves.add(id(node.variable))
        stack.extend(n for n, _ in node.next_functions)
    return set(seen), leaves, True
