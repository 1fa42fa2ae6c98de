"""What a process that was not seen to train says at its end: the error that ended it, if one did."""

import os

import collector
import pytest

ENDS = {
    "": None,
    "raise KeyError('x')": "KeyError",
    "class Mine(ValueError): pass\nraise Mine": "Mine",
    "try: {}['x']\nexcept KeyError: pass": None,
    "raise SystemExit(3)": None,  # the launcher knows the exit code
}


@pytest.mark.parametrize("end", ENDS)
def test_says_how_it_ended(sockdir, end):
    agent = collector.Collector(os.path.join(sockdir, "s"))
    text = "from vigil import _why_not_trained\n_why_not_trained.watch(lambda: False, lambda: 'what was seen')\n" + end
    try:
        collector.train(["-c", text], env=collector.environment(VIGIL_SOCKET=agent.path, VIGIL_STRICT="1"), check=False)
    finally:
        agent.die()
    assert (agent.idle, agent.errors) == (["what was seen"], [ENDS[end]])
