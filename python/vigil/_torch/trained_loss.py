"""What the loss of a training is, as its autograd graph shows: one loss or a sum of several, and whether its places count alike.

A loss of evaluation has no graph. Whether a function that is called there gives
what the training minimises is taken from here.
"""

from vigil._torch import graph, operations

_STEPS = 24  # nodes on the way to the function
_SCALINGS = ("Mul", "Div")
# What gives some places more weight than others, or leaves them out.
_BY_PLACE = frozenset(("Mul", "Div", "Index", "MaskedSelect", "MaskedFill", "Where", "IndexSelect", "Pow"))


class TrainedLoss(object):
    """name: the function it is, "" when the graph does not say. alone: it is no sum of several. alike: all places count alike in it."""

    __slots__ = ("name", "alone", "alike")

    def __init__(self, name="", alone=True, alike=False):
        self.name = name
        self.alone = alone
        self.alike = alike


def of(node):
    """The TrainedLoss that ``node`` gave."""
    averaged = summed = False
    for _ in range(_STEPS):
        if node is None:
            break
        name = graph.loss_of(node)
        if name:
            reduction = getattr(node, "_saved_reduction", 1)
            return TrainedLoss("" if name == "compiled" else name, True, averaged and not summed if reduction == 0 else not summed)
        kind = operations.base(node)
        below = [n for n, _ in node.next_functions]
        there = [n for n in below if n is not None]
        if kind in ("Add", "Sub") and not (averaged or summed):
            if len(there) > 1:
                return TrainedLoss("cross_entropy", True, True) if _smoothed(there) else TrainedLoss(alone=False)
        elif kind in ("Mean", "Sum"):
            averaged, summed = averaged or kind == "Mean", summed or kind == "Sum"
        elif kind in _SCALINGS:
            if len(there) != 1 or not _constant(node, below):
                break
        elif kind not in operations.SHAPES and kind != "Neg":
            break
        node = there[0] if there else None
    alike = averaged and not summed and node is not None and operations.base(node) not in _BY_PLACE
    return TrainedLoss("", True, alike)


def _constant(node, below):
    """Whether a product or quotient has one number as its other side."""
    if below[0] is None and operations.base(node) == "Div":
        return False
    other = graph.saved(node, "self" if below[0] is None else "other")
    return other is not None and other.numel() == 1


def _smoothed(sides):
    """Whether two terms are those of a cross-entropy with smoothed labels: both come of the same log_softmax."""
    found = [_log_softmax(side) for side in sides]
    return len(found) == 2 and found[0] is not None and found[0] is found[1]


def _log_softmax(node):
    """The log_softmax right below the averages and factors of a term, or None."""
    for _ in range(_STEPS):
        if node is None or operations.base(node) == "LogSoftmax":
            return node
        below = [n for n, _ in node.next_functions if n is not None]
        if len(below) != 1:
            return None
        node = below[0]
    return None
