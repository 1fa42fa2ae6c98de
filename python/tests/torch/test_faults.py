"""Nothing of ours reaches the script: neither an error, nor a changed number, nor a dead agent."""

import os
import re
import subprocess
import sys
import time

import collector
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))


MODULES = [["1", "output", 1], ["", "input", 1], ["", "label", 1], ["", "prediction", 1]]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_raise_anywhere(trained, seed):
    done = trained(os.path.join(HERE, "faults.py"), str(seed), modules=MODULES)
    assert done.code == 0 and int(re.search(r"injected (\d+)", done.out).group(1)) > 100
    assert done.out.split("digest")[1] == done.plain_out.split("digest")[1]
    assert "Traceback" not in done.err


def test_agent_dies(sockdir):
    """The agent vanishes in mid-run: training goes on and ends as it would."""
    agent = collector.Collector(os.path.join(sockdir, "s"), modules=MODULES)
    script = os.path.join(collector.SCRIPTS, "mlp.py")
    env = collector.environment(VIGIL_SOCKET=agent.path, VIGIL_E2E_STEPS="400", VIGIL_STRICT="1")
    child = subprocess.Popen([sys.executable, script], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    deadline = time.monotonic() + 300
    while not (agent.runs and len(agent.runs[0].steps) > 5) and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    agent.die()
    out, err = child.communicate(timeout=300)
    assert child.returncode == 0, err
    assert out.startswith("step 0 loss") and "Traceback" not in err


def test_no_agent_at_all(sockdir):
    """VIGIL_SOCKET names nothing: one line, and the training runs."""
    script = os.path.join(collector.SCRIPTS, "mlp.py")
    done = collector.train([script], collector.environment(VIGIL_SOCKET=os.path.join(sockdir, "nothing")))
    assert done.stderr.count("\n") == 1 and done.stderr.startswith("vigil: nothing is captured")
