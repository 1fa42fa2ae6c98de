"""The loss of evaluation: that of a module is seen, that of a function is not, and that is said."""

import os
import re

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))


@pytest.mark.parametrize("way", ["module", "function", "logged"])
def test_validation(trained, way):
    done = trained(os.path.join(HERE, "validating.py"), way)
    assert done.code == 0, done.err
    assert done.out == done.plain_out and done.digest == done.plain_digest
    printed = [pytest.approx(float(x), rel=1e-4, abs=1e-5) for x in re.findall(r"validation ([\d.]+)", done.out)]
    said = [n for n in done.run.of("notice") if "no loss of its evaluation was seen" in n["text"]]
    if way != "function":
        assert done.run.series("samples/mean", 1) == [4] * len(printed) if way == "module" else "samples/mean" not in done.run.names()
        assert done.run.series("loss", 1) == printed and not said
    else:
        assert all(x is None for x in done.run.series("loss", 1)) and len(said) == 1
