"""Lends the tests training scripts that were run once with Vigil and once without."""

import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
for path in (HERE, os.path.dirname(HERE)):
    if path not in sys.path:
        sys.path.insert(0, path)

import collector
from forked import Forks
from with_and_without_vigil import PLAIN, STRICT, train


@pytest.fixture(scope="session")
def forks():
    """The two processes that fork for scripts: without Vigil, and with it in strict mode; each script has a socket of its own."""
    pair = Forks(**PLAIN), Forks(VIGIL_SOCKET="/the/script's/own", **STRICT)
    yield pair
    for one in pair:
        one.close()


@pytest.fixture(scope="session")
def trained(forks):
    """trained(script): its Trained, made once per test session; by forks unless its command line is given as ``argv``."""
    made = {}

    def get(script, *arguments, **options):
        key = (script, arguments, repr(sorted(options.items())))
        if key not in made:
            argv = options.pop("argv", None)
            if argv is None:
                path = script if script.endswith(".py") else os.path.join(collector.SCRIPTS, script + ".py")
                argv, options["forks"] = [path] + list(arguments), forks
            made[key] = train(argv, **options)
        return made[key]

    return get


@pytest.fixture
def write(tmp_path):
    """Write a script; its path."""

    def make(text):
        path = tmp_path / "script.py"
        path.write_text(text)
        return str(path)

    return make
