"""A loss that is the logarithm of what a policy gave an action, times what the action was worth: its sign, and what the script calls the worth.

Read from the autograd graph and from the names in the script before backward;
no reference to either is kept.
"""

import re

from vigil._torch import graph, losses, operations, penalty, summary

_MOST = 400  # nodes that are looked at
_FRAMES = 6
_FUNCTIONS = 60  # of a script whose names are read
_GAIN = re.compile("^(rewards?|rews?|returns?|rets?|adv|advs|advantages?|pay|payoffs?|gains?|profits?)$")
_LOSS = re.compile("^(costs?|regrets?|tours?|lengths?|distances?|makespan|delays?|energy|energies|negative|neg)$")


def of(node):
    """PolicyFacts of a loss, or None: whether the logarithm is minimised as it is (sign 1) or with a minus before it (-1)."""
    stack, found = [(node, 1.0)], []
    for _ in range(_MOST):
        if not stack:
            break
        node, sign = stack.pop()
        if node is None:
            continue
        name = operations.base(node)
        below = [n for n, _ in node.next_functions]
        if name in ("Add", "Sub"):
            alpha = float(getattr(node, "_saved_alpha", 1)) * (-1 if name == "Sub" else 1)
            stack.extend((n, sign * (alpha if i else 1)) for i, n in enumerate(below))
        elif name == "Neg":
            stack.append((below[0], -sign))
        elif name in ("Mean", "Sum", "Stack", "Cat") or name in operations.SHAPES and name != "AccumulateGrad":
            stack.extend((n, sign) for n in below)
        elif name in ("Minimum", "Maximum"):
            clipped = [_ratio(n) for n in below if n is not None]
            if len(clipped) == 2 and all(clipped):
                found.append(sign * clipped[0])
        elif name in ("Mul", "Div"):
            scaled = penalty._scaled(node, name)
            if scaled is not None:
                if not _logarithm(scaled[0]):
                    stack.append((scaled[0], sign * scaled[1]))
                elif not (below[0] is not None and len(below) > 1 and below[1] is not None):
                    # One action at a time: the number is its worth, and has a sign of its own.
                    found.append(sign * (-1 if _negated(scaled[0]) else 1) * (-1 if scaled[1] == -1 else 1))
            elif name == "Mul" and len(below) == 2 and (below[0] is None) != (below[1] is None):
                factor = -1.0 if _negated(below[0] or below[1]) else 1.0
                worth = graph.saved(node, "self" if below[0] is None else "other")
                if worth is not None and worth.numel() > 1 and worth.is_floating_point() and summary.readable(worth) and _logarithm(below[0] or below[1]):
                    found.append(sign * factor)
    if stack or not found or any((s > 0) != (found[0] > 0) for s in found):
        return None
    return {"sign": 1 if found[0] > 0 else -1, "terms": len(found), "gains": _speaks_of_gains()}


def _negated(node):
    """Whether an odd number of minuses stands before what a node changes in shape only."""
    minus = False
    for _ in range(8):
        if node is None:
            break
        name = operations.base(node)
        if name == "Neg":
            minus = not minus
        elif name not in operations.SHAPES or name == "AccumulateGrad":
            break
        node = node.next_functions[0][0]
    return minus


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


def _ratio(node):
    """1 or -1 when a node is a ratio of two probabilities, or one that is clamped, times a constant; 0 otherwise."""
    sign = -1 if _negated(node) else 1
    node = _through(node)
    if node is None or operations.base(node) != "Mul":
        return 0
    below = [n for n, _ in node.next_functions]
    if len(below) != 2 or (below[0] is None) == (below[1] is None):
        return 0
    node = _through(below[0] or below[1])
    if node is not None and operations.base(node) in ("Clamp", "ClampMin", "ClampMax"):
        node = _through(node.next_functions[0][0])
    return sign if node is not None and operations.base(node) == "Exp" else 0


def _speaks_of_gains():
    """Whether names in the script tell of rewards, and none of costs."""
    words = set()
    frame, left = losses.script_frame(), _FRAMES
    if frame is None:
        return False
    functions = 0
    for value in list(frame.f_globals.values()):
        code = getattr(value, "__code__", None)
        if code is not None and code.co_filename == frame.f_code.co_filename and functions < _FUNCTIONS:
            functions += 1
            _words(code, words)
    while frame is not None and left:
        if frame.f_code.co_filename == losses.script_frame().f_code.co_filename or left == _FRAMES:
            _words(frame.f_code, words)
        frame, left = frame.f_back, left - 1
    return any(_GAIN.match(w) for w in words) and not any(_LOSS.match(w) for w in words)


def _words(code, words):
    for name in code.co_varnames + code.co_names + code.co_freevars:
        words.update(name.lower().split("_"))
