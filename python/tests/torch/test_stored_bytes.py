"""What a script stores is, byte by byte, what it would store without Vigil, at every place of a training."""

import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "stored_bytes.py")
EVERY_3 = {"TRAIN": {"every": 3}, "EVAL": {"every": 1}, "PREDICT": {"off": True}, "GLOBAL": {"off": True}}
MODULES = [[path, side, 0] for path in ("", "net.hidden", "net.act", "cell", "CrossEntropyLoss") for side in ("input", "output")]


@pytest.fixture(scope="module")
def done(trained):
    return trained(SCRIPT, schedule=EVERY_3, modules=MODULES)


def differing(done):
    """Lines that are not those of the run without Vigil."""
    pairs = list(zip(done.out.splitlines(), done.plain_out.splitlines()))
    return [(ours, plain) for ours, plain in pairs if ours != plain]


def test_same_bytes(done):
    assert done.code == 0, done.err
    assert differing(done) == []
    assert done.out == done.plain_out and done.out.count("\n") > 600


def test_some_steps_were_due_and_modules_hooked_in_them(done):
    run = done.run
    due = [step.mode_step for step in run.mode(0) if any("_output_" in name for name in step.tensors)]
    assert due == [0, 3, 6, 9, 12] or due == [3, 6, 9, 12]
    assert len(run.mode(0)) == 14


def test_same_bytes_in_each_rank(trained):
    # Any free port: the run with Vigil and that without are under way at once.
    meeting = ["--rdzv_backend", "c10d", "--rdzv_endpoint", "localhost:0"]
    argv = [sys.executable, "-m", "torch.distributed.run"] + meeting + ["--nproc_per_node", "2", SCRIPT, "ranks", "fast"]
    done = trained("stored by ranks", argv=argv, schedule=EVERY_3, modules=MODULES)
    assert done.code == 0, done.err
    assert sorted(done.out.splitlines()) == sorted(done.plain_out.splitlines())
    assert sorted(run.hello["rank"] for run in done.runs) == [0, 1]


def test_same_bytes_after_a_fork(trained):
    done = trained(SCRIPT, "fork", "fast", schedule=EVERY_3, modules=MODULES)
    assert done.code == 0, done.err
    assert differing(done) == []
    assert done.out == done.plain_out and done.out.count("child ") > 100
