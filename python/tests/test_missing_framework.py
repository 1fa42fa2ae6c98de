"""A framework that is not installed: said with the interpreter where that ends the process, and never else."""

import os
import sys

import collector
import pytest

BOOT = "import sys\nfrom vigil import _boot\n_boot.start()\n"
# Whatever is installed for the tests, this Python has no framework.
NONE = "import importlib.machinery\nimportlib.machinery.PathFinder.find_spec, found = classmethod(lambda c, n, p=None, t=None: None if n == 'torch' else found(n, p, t)), importlib.machinery.PathFinder.find_spec\n"


@pytest.mark.parametrize(
    "text,told",
    [
        ("import torch", True),
        ("import torch.nn", True),
        ("try:\n    import torch\nexcept ImportError:\n    pass", False),
        ("try:\n    import torch\nexcept ImportError:\n    pass\nraise KeyError", False),
        ("import no_such_module", False),
    ],
)
def test_missing(sockdir, text, told):
    agent = collector.Collector(os.path.join(sockdir, "s"))
    try:
        collector.train(["-c", BOOT + NONE + text], env=collector.environment(VIGIL_SOCKET=agent.path, VIGIL_STRICT="1"), check=False)
    finally:
        agent.die()
    assert agent.idle == (["PyTorch is not installed for %s" % sys.executable] if told else [])
    assert agent.errors == (["ModuleNotFoundError"] if told else [])
