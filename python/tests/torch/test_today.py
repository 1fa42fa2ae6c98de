"""What is captured of the trainings in today.py: bit-equal weights, and steps, losses, modules and tensors as they should be."""

import os
import re
import sys

import pytest
import today
from vigil._torch import backend

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = [[path, side, 1] for path in ("block", "head", "") for side in ("input", "output")] + [["CrossEntropyLoss", "output", 1]]


@pytest.fixture(scope="module")
def cases(trained):
    """The run of every case by its name, with and without Vigil equal to the bit."""
    done = trained("today", argv=[sys.executable, os.path.join(HERE, "today.py")], modules=MODULES, many=tuple(today.CASES))
    rows = [line.split() for line in done.out.splitlines()]
    rows = [r for r in rows if len(r) == 3 and r[0] in today.CASES]
    assert [r[0] for r in rows if r[2] != "0"] == [], done.err
    for name in today.CASES:
        assert done.digest[name] is not None and done.digest[name] == done.plain_digest[name], name
    names = {int(pid): name for name, pid, _ in rows}
    return {names[run.hello["pid"]]: run for run in done.runs}


CHECKPOINTED = [name for name in today.CASES if name.startswith("checkpoint")]


@pytest.mark.parametrize("case", CHECKPOINTED)
def test_computed_again_in_backward(cases, case):
    """Each module's tensors come once, from the forward; and so does the loss. A part that is computed again is no model of its own."""
    run = cases[case]
    assert [m["name"] for m in run.facts["models"]] == ["Net"]
    assert [s.mode for s in run.steps] == [0] * today.STEPS
    inside = "all_and_loss" in case
    found = {"block_input_0", "block_output_0", "head_input_0", "head_output_0", "Net_input_0", "Net_output_0"}
    found |= {"Net_input_1", "CrossEntropyLoss_output_0"} if inside else set()
    for step in run.mode(0)[1:]:
        assert {n for n in step.tensors if "put_" in n} == found
        assert step.repeated == []
    assert all(isinstance(v, float) for v in run.series("loss")) or case.endswith("by_function")
    assert ("CrossEntropyLoss_output_0" in run.names("loss")) == inside
    assert "CrossEntropyLoss_output_1" not in run.names()
    assert run.missing == [] and run.notices == []
