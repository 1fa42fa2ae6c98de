"""Numbers computed from a tensor: from its captured statistics, or from its values."""

import math

NAMES = ("min", "max", "mean", "std", "variance", "sum", "prod", "l1", "l2", "median", "count", "zeros", "nan", "inf", "prod_sign", "prod_log")


class Approximate(float):
    """A number that is not exact: it is off by at most ``error`` times its magnitude."""

    def __new__(cls, value, error):
        self = super(Approximate, cls).__new__(cls, value)
        self.error = error
        return self

    def __getnewargs__(self):
        return float(self), self.error

    def __repr__(self):
        return "%s (approximate, within %.1g %%)" % (float.__repr__(self), 100 * self.error)

    __str__ = __repr__


def _number(value):
    """As numpy knows it, where there is numpy."""
    try:
        import numpy
    except ImportError:
        return float(value)
    return numpy.float64(value)


def saved(s, name, magnitude):
    """A number from statistics (a dict as vigil._steps makes it); None when they do not tell."""
    count = s["count"]
    inf = s["posinf"] + s["neginf"]
    if name in ("count", "zeros", "nan"):
        return int(s[name])
    if name == "inf":
        return int(inf)
    if name in ("prod", "median", "prod_sign", "prod_log") or count == 0:
        return None
    if s["nan"] or inf and name in ("std", "variance"):
        return _number(math.nan)
    if inf:
        value = _infinite(s, name, magnitude)
        return None if value is None else _number(value)
    if magnitude:
        if name in ("mean", "sum", "l1"):
            value = s["l1"] / count if name == "mean" else s["l1"]
        elif name == "max":
            value = max(abs(s["min"]), abs(s["max"]))
        elif name == "l2":
            value = _l2(s)
        elif name == "min" and (s["min"] >= 0 or s["max"] <= 0):
            value = min(abs(s["min"]), abs(s["max"]))
        elif name == "min" and s["zeros"]:
            value = 0.0
        elif name in ("std", "variance"):
            # The mean of the squares, less the square of the mean.
            square = max(s["m2"] / count + s["mean"] ** 2 - (s["l1"] / count) ** 2, 0.0)
            value = math.sqrt(square) if name == "std" else square
        else:
            return None
        return _number(value)
    if name in ("min", "max", "mean"):
        value = s[name]
    elif name == "sum":
        value = s["mean"] * count
    elif name == "variance":
        value = s["m2"] / count
    elif name == "std":
        value = math.sqrt(s["m2"] / count)
    elif name == "l1":
        value = s["l1"]
    else:
        value = _l2(s)
    return _number(value)


def computed(numbers, s, name, magnitude):
    """A median or product from what was computed at capture; None where it was not."""
    if name == "median" and "median" in numbers:
        value = numbers["median"]
        if magnitude:
            finite = s["count"] > s["nan"] + s["posinf"] + s["neginf"]
            if s["neginf"] and s["posinf"] or finite and (s["min"] < 0 and s["max"] > 0 or s["neginf"] and s["max"] > 0 or s["posinf"] and s["min"] < 0):
                return None  # the order of the magnitudes is another one
            value = abs(value)
        return Approximate(value, numbers["median_error"]) if "median_error" in numbers else _number(value)
    if name.startswith("prod") and "prod_sign" in numbers:
        sign = abs(numbers["prod_sign"]) if magnitude else numbers["prod_sign"]
        if name == "prod_sign":
            return _number(sign)
        if name == "prod_log":
            return _number(numbers["prod_log"])
        if "prod" in numbers:
            return _number(abs(numbers["prod"]) if magnitude else numbers["prod"])
        return _number(math.copysign(math.inf if numbers["prod_log"] > 0 else 0.0, sign))
    return None


def _l2(s):
    return math.sqrt(max(s["m2"] + s["count"] * s["mean"] ** 2, 0.0))


def _infinite(s, name, magnitude):
    """A number of a tensor with infinite elements, none of them NaN. Smallest and largest are told as they are."""
    up, down = s["posinf"] > 0, s["neginf"] > 0
    all_infinite = s["posinf"] + s["neginf"] == s["count"]
    if magnitude:
        return math.inf if name != "min" or all_infinite else None
    if name == "min":
        return -math.inf if down else math.inf if all_infinite else s["min"]
    if name == "max":
        return math.inf if up else -math.inf if all_infinite else s["max"]
    if name in ("l1", "l2"):
        return math.inf
    return math.nan if up and down else math.inf if up else -math.inf


def reduce(values, name, magnitude):
    """A number computed from a numpy array."""
    import numpy

    x = numpy.asarray(values)
    if x.dtype == bool or x.dtype.kind in "iu":
        x = x.astype(numpy.float64)
    wide = x.astype(numpy.complex128 if x.dtype.kind == "c" else numpy.float64)
    if name == "count":
        return int(x.size)
    if name == "zeros":
        return int(numpy.count_nonzero(x == 0))
    if name in ("nan", "inf"):
        return int(numpy.count_nonzero(numpy.isnan(x) if name == "nan" else numpy.isinf(x)))
    if magnitude or wide.dtype.kind == "c":
        wide = numpy.abs(wide)
    if name == "l1":
        return numpy.abs(wide).sum()
    if name == "l2":
        return numpy.sqrt(numpy.square(wide).sum())
    if name == "variance":
        return wide.var()
    if name == "prod_sign":
        return numpy.prod(numpy.sign(wide)) if not numpy.isnan(wide.prod()) else numpy.float64(math.nan)
    if name == "prod_log":
        with numpy.errstate(divide="ignore", invalid="ignore"):
            return numpy.log(numpy.abs(wide)).sum()
    return getattr(numpy, name)(wide)
