"""Reductions of a tensor: one definition, whether from its statistics or from its values.

Norms are entrywise and the variance is the population's, whatever the rank;
mean and the like of integers and booleans are theirs as numbers.
"""

import math
import pickle

import numpy
import pytest

from vigil import _reductions

X = [[3.0, -4.0, 0.0], [1.0, 2.0, -2.0]]
TENSORS = {
    "matrix": numpy.array(X, numpy.float32),
    "vector": numpy.array(X[0]),
    "of rank 3": numpy.array([X, X]),
    "no axes": numpy.float64(-2.5),
    "one element": numpy.array([[7.0]]),
    "half": numpy.array(X, numpy.float16),
    "integers": numpy.array([[3, -4], [0, 5]], numpy.int8),
    "booleans": numpy.array([True, False, True]),
    "negative": numpy.array([-1.0, -3.0]),
}

# name: (of the elements, of their magnitudes), in plain Python
DEFINED = {
    "min": min, "max": max, "sum": sum, "prod": math.prod, "mean": lambda v: sum(v) / len(v),
    "variance": lambda v: sum((x - sum(v) / len(v)) ** 2 for x in v) / len(v),
    "std": lambda v: DEFINED["variance"](v) ** 0.5,
    "median": lambda v: (sorted(v)[(len(v) - 1) // 2] + sorted(v)[len(v) // 2]) / 2,
    "prod_sign": lambda v: math.copysign(1, math.prod(v)) if math.prod(v) else 0.0,
    "prod_log": lambda v: math.log(abs(math.prod(v))) if math.prod(v) else -math.inf,
    "l1": lambda v: sum(abs(x) for x in v), "l2": lambda v: sum(x * x for x in v) ** 0.5,
}  # fmt: skip
COMPUTED = ("prod", "prod_sign", "prod_log", "median")  # at capture, where it was asked for
FROM_STATISTICS = [n for n in DEFINED if n not in COMPUTED]


def statistics(x):
    """What the agent keeps of a tensor."""
    v = [float(e) for e in numpy.asarray(x).reshape(-1)]
    finite = [e for e in v if math.isfinite(e)]
    mean = sum(finite) / len(finite) if finite else 0.0
    return {
        "count": len(v), "min": min(finite, default=0.0), "max": max(finite, default=0.0), "mean": mean, "m2": sum((e - mean) ** 2 for e in finite),
        "l1": sum(map(abs, finite)), "zeros": v.count(0.0), "nan": sum(map(math.isnan, v)), "posinf": v.count(math.inf), "neginf": v.count(-math.inf),
    }  # fmt: skip


@pytest.mark.parametrize("magnitude", [False, True], ids=["", "abs"])
@pytest.mark.parametrize("name", sorted(DEFINED))
@pytest.mark.parametrize("tensor", sorted(TENSORS))
def test_as_defined(tensor, name, magnitude):
    x = TENSORS[tensor]
    v = [abs(float(e)) if magnitude else float(e) for e in numpy.asarray(x).reshape(-1)]
    want = pytest.approx(DEFINED[name](v), rel=1e-9, abs=1e-9)
    assert _reductions.reduce(x, name, magnitude) == want
    saved = _reductions.saved(statistics(x), name, magnitude)
    if saved is None:  # it takes the values
        assert name in COMPUTED or magnitude and name == "min" and min(v) > 0 and len(set(numpy.sign(numpy.asarray(x, float)).reshape(-1))) > 1
    else:
        assert saved == want


ODD = {"a NaN": [1.0, math.nan], "an infinity": [1.0, math.inf, -2.0], "a negative one": [1.0, -math.inf], "both": [math.inf, -math.inf], "only one": [-math.inf]}


@pytest.mark.parametrize("magnitude", [False, True], ids=["", "abs"])
@pytest.mark.parametrize("name", sorted(FROM_STATISTICS))
@pytest.mark.parametrize("tensor", sorted(ODD))
@pytest.mark.filterwarnings("ignore")
def test_what_is_not_finite(tensor, name, magnitude):
    x = numpy.array(ODD[tensor])
    saved, want = _reductions.saved(statistics(x), name, magnitude), _reductions.reduce(x, name, magnitude)
    if saved is not None:
        assert saved == want or math.isnan(saved) and math.isnan(want)


def test_nothing_of_an_empty_tensor():
    empty = statistics(numpy.zeros((0, 3)))
    assert [_reductions.saved(empty, n, False) for n in ("min", "mean", "std", "l2")] == [None] * 4
    assert _reductions.saved(empty, "count", False) == 0


def captured(x):
    """What the agent keeps of the median and the product."""
    v = [float(e) for e in numpy.asarray(x).reshape(-1)]
    numbers = {"median": DEFINED["median"](v), "prod_sign": DEFINED["prod_sign"](v), "prod_log": DEFINED["prod_log"](v), "prod": math.prod(v)}
    return numbers


@pytest.mark.parametrize("magnitude", [False, True], ids=["", "abs"])
@pytest.mark.parametrize("name", COMPUTED)
@pytest.mark.parametrize("tensor", sorted(TENSORS))
def test_computed_at_capture(tensor, name, magnitude):
    x = TENSORS[tensor]
    s = statistics(x)
    got = _reductions.computed(captured(x), s, name, magnitude)
    if got is None:  # magnitudes have another order
        assert name == "median" and magnitude and s["min"] < 0 < s["max"]
    else:
        assert got == pytest.approx(_reductions.reduce(x, name, magnitude), rel=1e-9)
    assert _reductions.computed({}, s, name, magnitude) is None


@pytest.mark.parametrize(
    "log, sign, want", [(1e4, 1.0, math.inf), (1e4, -1.0, -math.inf), (-1e4, -1.0, -0.0), (math.nan, math.nan, math.nan)]
)
def test_products_that_no_number_holds(log, sign, want):
    numbers = {"prod_sign": sign, "prod_log": log}
    if math.isnan(log):
        numbers["prod"] = math.nan
    got = _reductions.computed(numbers, statistics([1.0]), "prod", False)
    assert repr(float(got)) == repr(want)
    assert repr(float(_reductions.computed(numbers, statistics([1.0]), "prod", True))) == repr(abs(want))


def test_an_approximate_median_says_so():
    got = _reductions.computed({"median": 0.5, "median_error": 1 / 1024}, statistics([0.5]), "median", False)
    assert got == 0.5 and got + 1 == 1.5 and got.error == 1 / 1024
    assert str(got) == repr(got) == "0.5 (approximate, within 0.1 %)" and "%.2f" % got == "0.50"
    again = pickle.loads(pickle.dumps(got))
    assert again == got and again.error == got.error


@pytest.mark.parametrize("tensor", sorted(ODD))
@pytest.mark.filterwarnings("ignore")
def test_products_of_what_is_not_finite(tensor):
    x = numpy.array(ODD[tensor])
    sign, log, prod = (float(_reductions.reduce(x, n, False)) for n in ("prod_sign", "prod_log", "prod"))
    assert math.isnan(prod) and math.isnan(sign) and math.isnan(log) or math.isinf(prod) and log == math.inf and sign == math.copysign(1, prod)
