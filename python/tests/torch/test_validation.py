"""The loss of evaluation: that of a module or a function is seen, one that is written out is not, and that is said."""

import os
import re
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))


@pytest.mark.parametrize("way", ["module", "function", "logged", "written out"])
def test_validation(trained, way):
    done = trained(os.path.join(HERE, "validating.py"), way)
    assert done.code == 0, done.err
    assert done.out == done.plain_out and done.digest == done.plain_digest
    printed = [pytest.approx(float(x), rel=1e-4, abs=1e-5) for x in re.findall(r"validation ([\d.]+)", done.out)]
    said = [n for n in done.run.of("notice") if "no validation loss was seen" in n["text"]]
    if way != "written out":
        assert done.run.series("samples/mean", 1) == [4] * len(printed) if way in ("module", "function") else "samples/mean" not in done.run.names()
        assert done.run.series("loss", 1) == printed and not said
    else:
        assert all(x is None for x in done.run.series("loss", 1)) and len(said) == 1
        lines = re.findall('"(.+?)"(?: and|,| at| after|$)', said[0]["hint"])
        assert lines == ["try: import vigil", "except ImportError: vigil = None", 'if vigil: vigil.log({"loss": value})']
        script = "\n".join(lines[:2] + ["value = 1.0"] + lines[2:] + ["print(vigil)"])
        plain = subprocess.run([sys.executable, "-I", "-S", "-c", script], stdout=subprocess.PIPE, universal_newlines=True)
        assert (plain.returncode, plain.stdout) == (0, "None\n"), "what is advised breaks the script where Vigil is not installed"
