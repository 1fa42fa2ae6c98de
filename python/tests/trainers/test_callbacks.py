"""What a script gets by a callback: metrics, modes, an end, and one clear line where the framework is missing."""

import pytest
from conftest import collector
from test_trainers import TRAININGS

EVAL, PREDICT = 1, 2


def called(trainings, script):
    return trainings(script, list(TRAININGS[script]))["called"]


def metrics(run, name):
    """The values of a metric, in order."""
    return [v for s in run.steps for n, v in s.scalars.items() if n == name] + [v for n, _, _, v in run.free if n == name]


def test_huggingface(trainings):
    t = called(trainings, "with_transformers")
    assert metrics(t.run, "eval_loss") == pytest.approx(t.said["eval"])
    assert [v for v in t.run.series("loss", EVAL) if v is not None] == pytest.approx(t.said["eval"])
    assert t.run.facts["epochs"]["total"] == len(t.said["losses"])
    assert len(metrics(t.run, "grad_norm")) == len(metrics(t.run, "learning_rate")) == len(t.said["losses"])
    assert len(t.run.of("bye")) == 1


def test_lightning(trainings):
    t = called(trainings, "with_lightning")
    assert len(metrics(t.run, "val_loss")) == 2
    assert t.run.facts["epochs"]["total"] == len(t.said["losses"])
    assert metrics(t.run, "train_loss") == pytest.approx(t.said["losses"][4::5])
    assert len(t.run.mode(PREDICT)) == 3
    assert len(t.run.of("bye")) == 1


def test_accelerate(trainings):
    assert len(called(trainings, "with_accelerate").run.of("bye")) == 1


@pytest.mark.parametrize("module,packages", [("huggingface", ["transformers"]), ("lightning", ["lightning", "pytorch_lightning"])])
def test_a_framework_that_is_missing_is_named(module, packages):
    code = "import sys, vigil\nfor p in %r: sys.modules[p] = None\nvigil.%s\nfrom vigil.%s import VigilCallback" % (packages, module, module)
    done = collector.train(["-c", code], check=False)
    assert done.returncode == 1
    line = done.stderr.strip().splitlines()[-1]
    assert line == "ImportError: vigil.%s.VigilCallback needs %s, which is not installed: pip install %s" % (module, packages[0], packages[0])
