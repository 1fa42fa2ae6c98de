"""A loss that is the logarithm of what a policy gave an action, times what the action was worth: whether what pays is made likelier.

The graph has the numbers that the logarithms are multiplied with, but not where
their signs come from: -advantages is a number like any other. So they are held
against the variables of the script that are named after gains. No reference to
any of it is kept.
"""

import re

from vigil._torch import drawn, graph, losses, operations, penalty, summary, worth

_MOST = 400  # nodes that are looked at
_FRAMES = 6
_FUNCTIONS = 60  # of a script whose names are read
_LOSS = re.compile("^(costs?|regrets?|tours?|makespan|negative|neg)$")
_LENGTH = re.compile("^(lengths?|distances?|delays?|energy|energies)$")
_REWARD = re.compile("^(rewards?|rews?|payoffs?|profits?)$")
_END = re.compile("^(dones?|terminals?|terminated|truncated|episodes?)$")


def of(node):
    """PolicyFacts of a loss, or None: whether a logarithm times a gain is minimised as it is (sign 1) or with a minus before it (-1)."""
    stack, found, twice, picks = [(node, 1.0)], [], False, []
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
            stack.extend((n, sign * (alpha if i else 1)) for i, n in reversed(list(enumerate(below))))
        elif name == "Neg":
            stack.append((below[0], -sign))
        elif name in ("Mean", "Sum", "Stack", "Cat") or name in operations.SHAPES and name != "AccumulateGrad":
            stack.extend((n, sign) for n in reversed(below))
        elif name in ("Minimum", "Maximum"):
            clipped = [_ratio(n) for n in below if n is not None]
            if len(clipped) == 2 and all(c is not None for c in clipped):
                found.append(_numbers(clipped[0], sign))
                twice = twice or _twice(below[0])
        elif name in ("Mul", "Div"):
            scaled = penalty.scaled(node, name)
            if scaled is not None:
                if not _logarithm(scaled[0]):
                    stack.append((scaled[0], sign * scaled[1]))
                elif not (below[0] is not None and len(below) > 1 and below[1] is not None):
                    # One action at a time: the number is its worth.
                    twice = twice or _twice(scaled[0])
                    found.append([sign * (-1 if _negated(scaled[0]) else 1) * scaled[1]])
            elif name == "Mul" and len(below) == 2 and (below[0] is None) != (below[1] is None):
                factor = _factor(node, below)
                if factor is not None and _logarithm(below[0] or below[1]):
                    found.append(_numbers(factor, -sign if _negated(below[0] or below[1]) else sign))
                    picks.append(below[0] or below[1])
                    twice = twice or _twice(below[0] or below[1])
    if stack or not found:
        return None
    numbers = [x for part in found for x in part]
    frames, gains = _scripts_gains()
    sign = worth.sign(numbers, gains) if gains else 0
    out = {"sign": sign, "terms": len(found), "gains": sign != 0}
    if twice:
        out["twice"] = True
    if sign and len(found) == len(picks) == 1 and drawn.anew(_through(picks[0]), len(numbers), frames):
        out["anew"] = True
    return out


def _factor(node, below):
    """The numbers that something with a gradient is multiplied with, or None."""
    factor = graph.saved(node, "self" if below[0] is None else "other")
    if factor is None or not 1 < factor.numel() <= worth.MOST or not factor.is_floating_point() or not summary.readable(factor):
        return None
    return factor


def _numbers(factor, sign):
    return (factor.detach().reshape(-1).double() * sign).tolist()


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
    """The numbers, with their sign, that a ratio of two probabilities is multiplied with, or one that is clamped; None of anything else."""
    minus = _negated(node)
    node = _through(node)
    if node is None or operations.base(node) != "Mul":
        return None
    below = [n for n, _ in node.next_functions]
    if len(below) != 2 or (below[0] is None) == (below[1] is None):
        return None
    factor = _factor(node, below)
    node = _through(below[0] or below[1])
    if node is not None and operations.base(node) in ("Clamp", "ClampMin", "ClampMax"):
        node = _through(node.next_functions[0][0])
    if factor is None or node is None or operations.base(node) != "Exp":
        return None
    return -factor if minus else factor


def _scripts_gains():
    """(frames of the script, what its variables hold that are named after gains: lists of numbers). None where the script speaks of costs, which are to become smaller."""
    words = set()
    frame, left = losses.script_frame(), _FRAMES
    if frame is None:
        return [], []
    file, functions = frame.f_code.co_filename, 0
    for value in list(frame.f_globals.values()):
        code = getattr(value, "__code__", None)
        if code is not None and code.co_filename == file and functions < _FUNCTIONS:
            functions += 1
            _words(code, words)
    frames = []
    while frame is not None and left:
        if frame.f_code.co_filename == file:
            _words(frame.f_code, words)
            frames.append(frame)
        frame, left = frame.f_back, left - 1
    return frames, [] if _lesser(words) else worth.gains(frames)


def _lesser(words):
    """Whether the words of a script are those of one that speaks of what is to become smaller."""
    if any(_LOSS.match(w) for w in words):
        return True
    # Episodes have a length, too, and what moves in them distances and energies: there rewards are what is spoken of.
    return any(_LENGTH.match(w) for w in words) and not (any(_REWARD.match(w) for w in words) and any(_END.match(w) for w in words))


def _words(code, words):
    for name in code.co_varnames + code.co_names + code.co_freevars:
        words.update(name.lower().split("_"))
