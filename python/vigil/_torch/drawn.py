"""Whether a policy's loss is about other actions than those that the script holds: drawn anew, while what they are worth is of the old ones."""

import re

import torch

from vigil._torch import graph, operations, worth
from vigil._torch.variables import variables

_ACTION = re.compile("^(actions?|acts?|a)$")
_FROM = 32  # actions: fewer may agree, or not, by chance
_OBJECTS = 20  # whose attributes or entries are looked at


def anew(node, count, frames):
    """Whether what a logarithm was picked by, ``count`` numbers, is no variable of the script and agrees with none of its actions.

    Actions may be stored under other numbers than they are picked by, so what counts is
    whether one tells the other. Where the script holds more actions than were
    picked, they are a batch of these, and nothing is said.
    """
    if node is None or operations.base(node) != "Gather" or count < _FROM:
        return False
    index = graph.saved(node, "index")
    if index is None or index.numel() != count or index.device.type != "cpu":
        return False
    picked = index.detach().reshape(-1).tolist()
    actions = []
    for near, name, value in _held(frames):
        numbers = _numbers(value, count)
        action = any(_ACTION.match(w) for w in name.lower().split("_"))
        if numbers is None:
            if action and _larger(value, count):
                return False
        elif numbers == picked:
            return False
        elif action and near:
            actions.append(numbers)
    return bool(actions) and len(set(picked)) > 1 and not any(_tells(a, picked) or _tells(picked, a) or sorted(a) == sorted(picked) for a in actions)


def _held(frames):
    """(whether it is the first frame, name, value) of the variables of frames, and of what lies in objects and dicts there."""
    objects = 0
    for frame in frames:
        near = frame is frames[0]
        for name, value in variables(frame).items():
            yield near, name, value
            fields = getattr(type(value), "_fields", None) if isinstance(value, tuple) else None
            inner = dict(zip(fields, value)) if fields else value if type(value) is dict else getattr(value, "__dict__", None)
            if type(inner) is not dict or isinstance(value, (type, type(re), torch.Tensor)) or len(inner) > 100 or objects >= _OBJECTS:
                continue
            objects += 1
            for key, entry in list(inner.items()):
                if type(key) is str:
                    yield near, key, entry


def _numbers(value, count):
    """The numbers of a variable that holds as many, None of others."""
    if isinstance(value, (list, tuple)) and len(value) > count or isinstance(value, torch.Tensor) and value.numel() != count:
        return None
    numbers = worth._values(value)
    return numbers if numbers is not None and len(numbers) == count else None


def _larger(value, count):
    """Whether a variable holds more than so many numbers, or what it holds is not known."""
    if isinstance(value, torch.Tensor):
        return value.numel() > count
    if isinstance(value, (list, tuple)):
        numbers = worth._values(value)
        return len(value) > 0 and (numbers is None or len(numbers) > count)
    return getattr(value, "size", 0) > count if isinstance(getattr(value, "size", 0), int) else False


def _tells(a, b):
    """Whether equal numbers of a always stand beside equal ones of b."""
    of = {}
    return all(of.setdefault(x, y) == y for x, y in zip(a, b))
