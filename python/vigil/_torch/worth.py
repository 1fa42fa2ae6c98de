"""What actions were worth, by the variables of the script that are named after it, and whether numbers go with it or against it."""

import math
import numbers
import re

import torch

from vigil._torch import summary
from vigil._torch.variables import variables

MOST = 100000  # numbers that are compared
_OBJECTS = 20  # whose attributes or entries are looked at
_GAIN = re.compile("^(rewards?|rews?|returns?|rets?|rtg|rtgs|adv|advs|advantages?|pay|payoffs?|gains?|profits?|gae|scores?|discounted)$")
_LETTER = re.compile("^[rgRG]$")
_FROM = 8  # numbers, from which on two series that are not the same are compared
_LEAST, _LEAST_FEW = 0.7, 0.95  # their least correlation, and that of few, of which one in twenty pairs has 0.7 by chance
_FEW = 32


def gains(frames):
    """Lists of numbers, (whether the name is a mere letter, numbers), from the variables of frames, and from what lies in objects and dicts there."""
    found, objects = [], 0
    for frame in frames:
        for name, value in variables(frame).items():
            if _take(found, name, value):
                continue
            inner = value if type(value) is dict else getattr(value, "__dict__", None)
            if type(inner) is not dict or isinstance(value, (type, type(re), torch.Tensor)) or len(inner) > 100 or objects >= _OBJECTS:
                continue
            objects += 1
            for key, entry in list(inner.items()):
                if type(key) is str:
                    _take(found, key, entry)
    return found


def _take(found, name, value):
    """Whether a variable is one; then its numbers are appended."""
    letter = _LETTER.match(name) is not None
    if not letter and not any(_GAIN.match(w) for w in name.lower().split("_")):
        return False
    values = _values(value)
    if values:
        found.append((letter, values))
    return values is not None


def _values(value):
    """The numbers of a tensor, an array, a list or a number; None of anything else."""
    if isinstance(value, torch.Tensor):
        if value.numel() > MOST or value.is_complex() or not summary.readable(value):
            return None
        return value.detach().reshape(-1).double().tolist()
    if isinstance(value, bool):
        return None
    if isinstance(value, numbers.Real):
        return [float(value)]
    if isinstance(value, (list, tuple)):
        if not 0 < len(value) <= MOST:
            return None
        out = []
        for v in value:
            one = None if isinstance(v, (list, tuple)) else _values(v)
            if one is None:
                return None
            out.extend(one)
        return out if len(out) <= MOST else None
    if type(value).__module__ == "numpy" and getattr(value, "dtype", None) is not None and value.dtype.kind in "fiu" and value.size <= MOST:
        return [float(x) for x in value.reshape(-1).tolist()]
    return None


def sign(series, gains):
    """1 when numbers go with what the script calls gains, -1 when they go against it, 0 when that is not plain.

    The very numbers tell, all of them or a batch of them, whatever constant
    they are multiplied with; of as many numbers their correlation, which is one
    where they were only normalised.
    """
    if not all(map(math.isfinite, series)) or not any(series):
        return 0
    signs = set()
    best, of_best = 0.0, 0
    for letter, values in gains:
        if not all(map(math.isfinite, values)) or not any(values):
            continue
        same = _equal(series, values) if len(values) == len(series) else _among(series, values)
        if same:
            signs.add(same)
        elif len(values) == len(series) >= _FROM:
            r = _correlation(series, values)
            if abs(r) > max(best, 0.999 if letter else _LEAST if len(series) > _FEW else _LEAST_FEW):
                best, of_best = abs(r), 1 if r > 0 else -1
    if signs:
        return signs.pop() if len(signs) == 1 else 0
    return of_best


def _equal(series, values):
    """1 or -1 when each number of series is that of values times one constant; 0 otherwise. Of a single number the constant is one."""
    scale = 1.0
    if len(series) > 1:
        scale = max(map(abs, series)) / max(map(abs, values))
    near = 1e-5 * max(map(abs, values)) * scale
    for factor in (scale, -scale):
        if all(abs(x - factor * v) <= near for x, v in zip(series, values)):
            return 1 if factor > 0 else -1
    return 0


def _among(series, values):
    """1 or -1 when all numbers of series, or all with the other sign, are among the more of values; 0 otherwise, and where few different numbers may be by chance."""
    grain = 1e-5 * max(map(abs, values))
    if len(values) < len(series) or len({round(x / grain) for x in series}) < _FROM:
        return 0
    there = {round(v / grain) + d for v in values for d in (-1, 0, 1)}
    with_it = all(round(x / grain) in there for x in series)
    against = all(round(-x / grain) in there for x in series)
    return 0 if with_it == against else 1 if with_it else -1


def _correlation(a, b):
    n = len(a)
    ma, mb = sum(a) / n, sum(b) / n
    sab = sum((x - ma) * (y - mb) for x, y in zip(a, b))
    sa, sb = sum((x - ma) ** 2 for x in a), sum((y - mb) ** 2 for y in b)
    return sab / (sa * sb) ** 0.5 if sa > 0 and sb > 0 else 0.0
