"""docs/pytorch.md has one table of all that is replaced, hooked and set in a process: compared with what is."""

import json
import os
import re
import subprocess
import sys

import collector
import pytest

from vigil._torch import compat, loss_functions

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(collector.ROOT, "docs", "pytorch.md")
# Global hooks of PyTorch, by what the table says of them.
HOOKS = {
    "_global_forward_pre_hooks": "global forward pre-hook",
    "_global_forward_hooks": "global forward hook",
    "_global_forward_hooks_always_called": "global forward hook",
    "_global_parameter_registration_hooks": "global hooks on registration",
    "_global_module_registration_hooks": "global hooks on registration",
    "_global_buffer_registration_hooks": "global hooks on registration",
    "_global_optimizer_pre_hooks": "global step hooks",
    "_global_optimizer_post_hooks": "global step hooks",
}
# Replaced in some releases only, or in a job that is resumed.
SOMETIMES = {"torch.load", "torch.autograd.graph.saved_tensors_hooks.__enter__"}


def table():
    """Rows of the table: (what, why)."""
    with open(PAGE) as f:
        text = f.read()
    text = text[text.index("## What is hooked, replaced and set") :]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.split("\n### ")[0].splitlines() if line.startswith("| ")]
    assert all(len(row) == 5 for row in rows), rows
    return rows[2:]


def replaced(looks):
    """Callables that are replaced, as the table says it."""
    out = []
    for what, when, _, _, off in table():
        if what.startswith("the code of ") or "before Python 3.12" in when and hasattr(sys, "monitoring"):
            continue  # the functions stay
        hook = "hook" in what.split("`")[-1] or "hook" in what.partition("`:")[2]
        if not hook and (looks or off != "`--no-look`"):
            out.extend(n for n in re.findall(r"`(torch\.[\w.]+)`", what.split(" (")[0]))
    return out


@pytest.fixture(scope="module", params=[True, False], ids=["look", "no look"])
def touched(request, tmp_path_factory):
    directory = tmp_path_factory.mktemp("s")
    agent = collector.Collector(str(directory / "s"))
    try:
        env = collector.environment(VIGIL_STRICT="1", **({} if request.param else {"VIGIL_LOOK": "0"}))
        names = replaced(True)
        done = subprocess.run([sys.executable, os.path.join(HERE, "replaced_in_process.py"), agent.path] + names, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=300)
    finally:
        agent.die()
    assert done.returncode == 0, done.stderr
    return request.param, json.loads(done.stdout.splitlines()[-1])


def test_callables(touched):
    """What is replaced is in the table, and what is in the table is replaced; without the look only what capture needs."""
    looks, found = touched
    if not compat.HAS_OPTIMISER_HOOKS:
        assert "`step` of optimiser classes, instead of these hooks" in [row[0] for row in table()]
        found["replaced"] = [(n, k) for n, k in found["replaced"] if not re.match(r"torch\.optim\.(?!lr_scheduler)\w+\.\w+\.step$", n)]
    assert found["steps"] > 40, "nothing was trained"
    assert not [name for name, known in found["replaced"] if not known], "replaced, and not in the table"
    names = {name for name, _ in found["replaced"]}
    said = {one for n in replaced(looks) for one in (n, n.replace("torch.amp.", "torch.cuda.amp.")) if one in found["there"]}
    assert names - SOMETIMES == said - SOMETIMES


def test_hooks(touched):
    _, found = touched
    text = "\n".join(row[0] for row in table())
    assert found["hooks"] and all(HOOKS[name] in text for name in found["hooks"])


def test_loss_functions(touched):
    """While an evaluation lasts, Python tells of their returns, or they have other code; the table has all of them."""
    _, found = touched
    (row,) = [row[0] for row in table() if row[0].startswith("the code of ")]
    assert {"torch.nn.functional." + name for name in loss_functions.KINDS} == set(re.findall(r"`(torch\.[\w.]+)`", row))
    if hasattr(sys, "monitoring"):
        assert found["tools"] == ["vigil"] and not found["recoded"] and any("`sys.monitoring`" in row[0] for row in table())
    else:
        assert found["recoded"] == sorted(loss_functions.found())


def test_settings(touched):
    """Nothing that is the whole process's is other than it was: the garbage collector, signals, tracing, threads."""
    assert touched[1]["settings"] == {}


def test_calls_of_the_C_library():
    """Settings that Python cannot read: the functions of the C library that are called are known."""
    text = ""
    for at, _, names in os.walk(os.path.join(collector.PYTHON, "vigil")):
        for name in names:
            if name.endswith(".py"):
                with open(os.path.join(at, name)) as f:
                    text += f.read()
    called = set(re.findall(r"libc\.(\w+)\(", text)) | set(re.findall(r"CDLL\([^)]*\)\.(\w+)\(", text))
    assert called == {"mallopt", "prctl"}
    words = "\n".join(row[0] for row in table())
    assert "`mallopt`" in words and "`prctl(PR_SET_PTRACER)`" in words and "reads weights" in words
