"""Strings as tensors: what counts as such, and the bytes that stand for them."""

import json

import numpy
import pytest

from vigil import _strings

MANY = ["x"] * (_strings.MOST + 5)


@pytest.mark.parametrize(
    "value, shape, strings",
    [
        ("a", (), ["a"]),
        ("", (), [""]),
        (["a", "b"], (2,), ["a", "b"]),
        (("a", "b"), (2,), ["a", "b"]),
        ([["a", "b"], ("c", "d")], (2, 2), ["a", "b", "c", "d"]),
        (numpy.array([["a", "bc"]]), (1, 2), ["a", "bc"]),
        (numpy.array("a"), (), ["a"]),
        (numpy.array(["a", "b"], object), (2,), ["a", "b"]),
        (numpy.array([b"a", b"\xff"]), (2,), ["a", "\ufffd"]),
        (numpy.zeros((0, 2), "U3"), (0, 2), []),
    ],
)
def test_what_is_strings(value, shape, strings):
    assert _strings.of(value) == (shape, strings)
    again = _strings.decode(_strings.encode(shape, strings))
    assert again.shape == shape and again.reshape(-1).tolist() == strings


@pytest.mark.parametrize(
    "value",
    [
        None, 1, 1.5, [], (), [1, 2], ["a", 1], [1, "a"], [["a"], ["b", "c"]], [["a"], "b"], [[], ["a"]], {"a": "b"}, b"bytes",
        numpy.ones(3), numpy.array(["a", 1], object), numpy.array([], object), object(),
    ],
)  # fmt: skip
def test_what_is_not(value):
    assert _strings.of(value) is None


def test_a_circle_ends():
    circle = []
    circle.append(circle)
    assert _strings.of(circle) is None and list(_strings.found(circle)) == []


def test_what_a_model_is_given():
    """Lists of strings wherever they stand; a single string is a setting."""
    given = ((1, "mean", [3, 4]), {"batch": {"tokens": [["a"], ["b"]], "ids": numpy.ones(2), "names": ("x", "y")}, "mode": "fast"})
    assert list(_strings.found(given)) == [((2, 1), ["a", "b"]), ((2,), ["x", "y"])]


def test_bounds():
    assert len(_strings.of(MANY)[1]) == _strings.MOST + 1 and _strings.encode(*_strings.of(MANY)) is None
    assert _strings.encode((300,), ["y" * 4000] * 300) is None
    cut = _strings.decode(_strings.encode((1,), ["z" * 5000]))
    assert len(cut[0]) == _strings.LONGEST and cut[0].endswith("z\u2026")


def test_few_lengths_occur():
    sizes = {len(_strings.encode((1,), ["a" * n])) for n in range(1000)}
    assert sizes == {64, 128, 256, 512, 1024, 2048}
    assert json.loads(_strings.encode((1,), ['"\u00fc'])) == {"shape": [1], "strings": ['"\u00fc']}


def test_odd_characters():
    assert _strings.decode(_strings.encode((2,), ["\ud800", "a\0"])).tolist() == ["?", "a\0"]
