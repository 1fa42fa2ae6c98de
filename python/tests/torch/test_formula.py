"""The loss of evaluation where a function computes it."""

import os
import re

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
SEEN = ["plain", "sums", "none", "imported", "inference", "logarithms", "squares", "squares_written_out", "module", "two", "raises"]
UNSEEN = ["another", "two_terms", "scripted"]


def _validated(trained, way):
    done = trained(os.path.join(HERE, "validating.py"), way)
    assert done.code == 0, done.err
    assert done.out == done.plain_out and done.digest == done.plain_digest
    printed = [float(x) for x in re.findall(r"validation ([\d.]+)", done.out)]
    return done.run, [pytest.approx(x, rel=1e-4, abs=1e-5) for x in printed]


@pytest.mark.parametrize("way", SEEN)
def test_seen(trained, way):
    run, printed = _validated(trained, way)
    series = run.series("loss", 1)
    if way == "raises":
        assert [x for x in series if x is not None] == printed
        return
    assert series == printed
    assert not [n for n in run.of("notice") if "could not be seen" in n["message"]]


@pytest.mark.parametrize("way", UNSEEN)
def test_unseen(trained, way):
    run, _ = _validated(trained, way)
    assert all(x is None for x in run.series("loss", 1))
