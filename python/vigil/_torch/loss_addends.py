"""The losses that a loss is the sum of, and what each of them compares.

Read from the autograd graph before backward; no reference to it is kept.
"""

from vigil import _guard
from vigil._torch import graph, handwritten_binary_cross_entropy, handwritten_losses
from vigil._torch.operations import SHAPES, base

CALLS = 4  # backwards that are looked at
MOST = 12  # losses of one sum
_NODES = 96  # of the sum
_FURTHER = frozenset(("Add", "Sub", "Rsub", "Neg", "Mul", "Div", "Mean", "Sum", "Stack", "Cat", "Maximum"))
_REDUCED = ("none", "mean", "sum")


class Addend(object):
    """One loss of a sum, at the same place of it in all calls."""

    def __init__(self, name, reduction, masked, source):
        self.key = name, reduction, masked
        self.source = source

    def gather(self, numbers):
        labels, predictions = self.source.gather(), self.source.predictions.gather(numbers)
        if predictions is None:
            return None
        name, reduction, masked = self.key
        facts = {"function": name, "reduction": reduction, "labels": labels, "predictions": predictions}
        if masked:
            facts["masked"] = True
        return facts


class Addends(object):
    """AddendFacts of a training whose loss is a sum: the losses in it that are known, in the order of the graph."""

    def __init__(self, make):
        self.make = make  # (Source of the place, or None, and what find gives) -> Source
        self.calls = 0
        self.list = None  # of Addend; empty: not the same at all calls

    @_guard.guard
    def take(self, node, outputs):
        """backward begins at ``node``. outputs: what the model returned."""
        if self.calls >= CALLS or self.list == []:
            return
        self.calls += 1
        found = find(node, outputs)
        if self.list is not None and [a.key for a in self.list] != [f[0] for f in found]:
            found = []
        if len(found) < 2:
            self.list = []  # one alone is the loss itself
            return
        if self.list is None:
            self.list = [Addend(*key, source=None) for key, _ in found]
        for addend, (_, got) in zip(self.list, found):
            addend.source = self.make(addend.source, *got)

    def gather(self, numbers):
        facts = [a.gather(numbers) for a in self.list or ()]
        return [f for f in facts if f is not None] or None


def find(node, outputs):
    """[((name, reduction, whether places are weighted), (name, label, prediction, label to ignore, logs, node of the prediction))] of the losses in a sum.

    What is known of no loss is left out, and so is one whose labels have a graph of their own, as those of two views of a sample.
    """
    out, stack, seen = [], [(node, False, 1)], {}
    while stack and len(seen) < _NODES and len(out) < MOST:
        node, masked, sign = stack.pop()
        if node is None or id(node) in seen:
            continue
        seen[id(node)] = node
        name = graph.loss_of(node)
        if name:
            out.append(_function(name, node, outputs, masked))
            continue
        kind = base(node)
        below = [n for n, _ in node.next_functions]
        if kind in ("Mean", "Sum", "Neg"):
            hand = handwritten_losses.given(node, outputs, sign) or handwritten_binary_cross_entropy.given(node, outputs, sign)
            if hand is not None:
                name, prediction, label, logs, way = hand
                out.append(((name, "mean" if kind == "Mean" else "", masked), (name, label, prediction, None, logs, way)))
                continue
        if kind in _FURTHER or kind in SHAPES:
            masked = masked or kind == "Mul" and _by_place(node, below)
            sign = -sign if kind in ("Neg", "Rsub") else sign
            stack.extend((n, masked, -sign if kind == "Sub" and i else sign) for i, n in reversed(list(enumerate(below))))
    return [found for found in out if found is not None]


def _by_place(node, below):
    """Whether a product has a factor that is no single number."""
    if len(below) != 2 or all(n is not None for n in below):
        return len(below) == 2
    other = graph.saved(node, "self" if below[0] is None else "other")
    return other is None or other.numel() != 1


def _function(name, node, outputs, masked):
    """What a loss function of PyTorch got, as of find; None where the graph does not hold it."""
    label = graph.saved(node, "target")
    if label is None:
        label = graph.saved(node, "targets")
    prediction = graph.saved(node, "self")
    below = [n for n, _ in node.next_functions]
    if graph.swapped(name, prediction, label):
        prediction, label, below = label, prediction, below[1:]
    if label is None or prediction is None or label.requires_grad or not below or below[0] is None:
        return None
    if prediction.shape == label.shape and graph.expanded(node):
        # The function itself stretched them to one shape; a stretched axis has no stride.
        prediction, label = handwritten_losses.unexpanded(prediction), handwritten_losses.unexpanded(label)
    way, logs = below[0], name == "cross_entropy"
    if logs:
        softmax = way
        while softmax is not None and base(softmax) in SHAPES:
            softmax = softmax.next_functions[0][0]
        way = softmax.next_functions[0][0]
        output = handwritten_losses.of(way, outputs, prediction)
        if output is not None and output.shape == prediction.shape:
            prediction, logs = output, False
    reduction = getattr(node, "_saved_reduction", None)
    reduction = _REDUCED[reduction] if reduction in (0, 1, 2) else ""
    return (name, reduction, masked), (name, label, prediction, graph.ignored(node), logs, way)
