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
from with_and_without_vigil import PLAIN, STRICT, settle, train


@pytest.fixture(scope="session")
def forks():
    """The two processes that fork for scripts: without Vigil, and with it in strict mode; each script has a socket of its own."""
    order = {"PYTHONHASHSEED": "0"}  # TorchScript writes constants in the order of a set of names
    pair = Forks(**PLAIN, **order), Forks(VIGIL_SOCKET="/the/script's/own", **STRICT, **order)
    yield pair
    for one in pair:
        one.close()


@pytest.fixture(scope="session")
def trained(forks):
    """trained(script): its Trained, made once per test session; by forks unless its command line is given as ``argv``."""
    made = {}

    def get(script, *arguments, **options):
        text = None
        if "argv" not in options:
            path = script if script.endswith(".py") else os.path.join(collector.SCRIPTS, script + ".py")
            with open(path) as f:  # another test may have written another script there before
                text = f.read()
        key = (script, text, arguments, repr(sorted(options.items())))
        if key not in made:
            argv = options.pop("argv", None)
            if argv is None:
                argv, options["forks"] = [path] + list(arguments), forks
            made[key] = train(argv, **options)
        return made[key]

    return get


@pytest.fixture
def watched(forks, tmp_path):
    """watched(script, argument...): (its run, what it printed), of a script in a fork that runs with Vigil alone."""

    def run(*argv):
        agent = collector.Collector(str(tmp_path / "s"))
        try:
            script = forks[1].start(list(argv), collector.environment(VIGIL_STRICT="1", VIGIL_SOCKET=agent.path))
            out, err = script.communicate(300)
            assert script.returncode == 0, err
            settle(agent)
        finally:
            agent.die()
        (run,) = agent.runs
        return run, out

    return run


@pytest.fixture
def write(tmp_path):
    """Write a script; its path."""

    def make(text):
        path = tmp_path / "script.py"
        path.write_text(text)
        return str(path)

    return make
