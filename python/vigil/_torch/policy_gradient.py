"""A loss that is the logarithm of what a policy gave an action, times what the action was worth.

Which way it moves the policy cannot be told: a minus may have gone into what
the logarithms are multiplied with. That it is such a loss can, and whether the
logarithms are of probabilities that softmax gave twice. No reference to any of it
is kept.
"""

from vigil._torch import graph, operations, parameter_penalty, summary

_MOST = 400  # nodes that are looked at
_NUMBERS = 100000  # that logarithms are multiplied with


def of(node):
    """PolicyFacts of a loss, or None."""
    stack, terms, twice = [node], 0, False
    for _ in range(_MOST):
        if not stack:
            break
        node = stack.pop()
        if node is None:
            continue
        name = operations.base(node)
        below = [n for n, _ in node.next_functions]
        if name in ("Add", "Sub", "Neg", "Mean", "Sum", "Stack", "Cat") or name in operations.SHAPES and name != "AccumulateGrad":
            stack.extend(reversed(below))
        elif name in ("Minimum", "Maximum"):
            if len(below) == 2 and all(n is not None and _ratio(n) for n in below):
                terms += 1
                twice = twice or _twice(below[0])
        elif name in ("Mul", "Div"):
            scaled = parameter_penalty.scaled(node, name)
            if scaled is not None:
                if not _logarithm(scaled[0]):
                    stack.append(scaled[0])
                elif not (below[0] is not None and len(below) > 1 and below[1] is not None):
                    # One action at a time: the number is its worth.
                    twice = twice or _twice(scaled[0])
                    terms += 1
            elif name == "Mul" and len(below) == 2 and (below[0] is None) != (below[1] is None):
                logarithm = below[0] or below[1]
                if _weighs(node, below) and _logarithm(logarithm):
                    terms += 1
                    twice = twice or _twice(logarithm)
    if stack or not terms:
        return None
    return {"terms": terms, "twice": True} if twice else {"terms": terms}


def _weighs(node, below):
    """Whether something with a gradient is multiplied with numbers."""
    factor = graph.saved(node, "self" if below[0] is None else "other")
    return factor is not None and 1 < factor.numel() <= _NUMBERS and factor.is_floating_point() and summary.readable(factor)


def _through(node):
    for _ in range(8):
        if node is None or operations.base(node) == "AccumulateGrad" or operations.base(node) not in operations.SHAPES and operations.base(node) != "Neg":
            return node
        node = node.next_functions[0][0]
    return node


def _joined(node):
    """The first part of what was put together of several."""
    node = _through(node)
    for _ in range(2):
        if node is not None and operations.base(node) in ("Stack", "Cat"):
            node = _through(node.next_functions[0][0])
    return node


def _normal(node):
    """Whether a node gave the logarithm of a normal density: minus a square, minus something."""
    minus = False
    for _ in range(12):
        if node is None:
            return False
        name = operations.base(node)
        minus = minus or name == "Neg"
        if name == "Pow":
            return minus
        if name not in ("Sub", "Add", "Neg", "Div", "Sum") and name not in operations.SHAPES or name == "AccumulateGrad":
            return False
        node = node.next_functions[0][0]
    return False


def _logarithm(node):
    """Whether a node gave the logarithm of the probability of what was picked, of several."""
    node = _joined(node)
    if node is None or operations.base(node) not in ("Gather", "Index", "Select"):
        return node is not None and operations.base(node) in ("Sub", "Sum") and _normal(node)
    node = _through(node.next_functions[0][0])
    for _ in range(3):
        if node is None:
            return False
        name = operations.base(node)
        if name == "LogSoftmax" or name == "Log":
            return True
        if name == "Sub":
            return any(n is not None and operations.base(_through(n)) == "Logsumexp" for n, _ in node.next_functions if _through(n) is not None)
        if name not in ("Gather", "Index", "Select"):
            return False
        node = _through(node.next_functions[0][0])
    return False


def _twice(node):
    """Whether the logarithm of a probability was made of what softmax gave already, as if that were scores."""
    for _ in range(24):
        if node is None:
            return False
        name = operations.base(node)
        below = [n for n, _ in node.next_functions]
        if name == "LogSoftmax":
            return _is(below[0], "Softmax")
        if name == "Sub" and len(below) == 2 and _is(below[1], "Logsumexp"):
            return _is(below[0], "Softmax")
        if name == "AccumulateGrad" or name not in _ON_THE_WAY and name not in operations.SHAPES:
            return False
        there = [n for n in below if n is not None]
        node = there[0] if there else None
    return False


_ON_THE_WAY = frozenset(("Gather", "Index", "Select", "Neg", "Exp", "Clamp", "ClampMin", "ClampMax", "Mul", "Sub", "Stack", "Cat", "Sum", "Mean"))


def _is(node, name):
    node = operations.through(node)
    return node is not None and operations.base(node) == name


def _ratio(node):
    """Whether a ratio of two probabilities, or one that is clamped, is multiplied with numbers."""
    node = _through(node)
    if node is None or operations.base(node) != "Mul":
        return False
    below = [n for n, _ in node.next_functions]
    if len(below) != 2 or (below[0] is None) == (below[1] is None):
        return False
    weighed = _weighs(node, below)
    node = _through(below[0] or below[1])
    if node is not None and operations.base(node) in ("Clamp", "ClampMin", "ClampMax"):
        node = _through(node.next_functions[0][0])
    return weighed and node is not None and operations.base(node) == "Exp"
