"""Lends the tests training scripts that were run once with Vigil and once without."""

import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
for path in (HERE, os.path.dirname(HERE)):
    if path not in sys.path:
        sys.path.insert(0, path)

import collector  # noqa: E402
from trained import train  # noqa: E402


@pytest.fixture(scope="session")
def trained():
    """trained(script): its Trained, made once per test session."""
    made = {}

    def get(script, **options):
        key = (script, repr(sorted(options.items())))
        if key not in made:
            argv = options.pop("argv", None) or [sys.executable, os.path.join(collector.SCRIPTS, script + ".py")]
            made[key] = train(argv, **options)
        return made[key]

    return get


@pytest.fixture
def write(tmp_path):
    """Write a script; its command line."""

    def make(text):
        path = tmp_path / "script.py"
        path.write_text(text)
        return [sys.executable, str(path)]

    return make
