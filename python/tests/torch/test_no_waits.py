"""A training on a device waits for its values only where device.here says so, and what it is given to do does not grow by much with each parameter."""

import json
import os
import sys

import collector
import pytest
import torch
from without_values import SEEN, Dispatched

from vigil._torch import device, device_statistics, labels

HERE = os.path.dirname(os.path.abspath(__file__))
EVERY = 5  # steps between two with statistics
SCRIPT = os.path.join(HERE, "without_values.py")


def trains_on_meta():
    try:
        torch._foreach_norm([torch.ones(2, device="meta")])
    except (AttributeError, NotImplementedError):
        return False
    return True


# What such a release does not know for many tensors at once is done one by one.
pytestmark = pytest.mark.skipif(not trains_on_meta(), reason="older releases train little on the meta device")


@pytest.fixture(scope="module")
def trainings(trained):
    """The trainings on the meta device, one after the other; every fifth step has statistics."""
    every = dict(collector.TRAIN_ONLY, TRAIN={"every": EVERY})
    done = trained(SCRIPT, argv=[sys.executable, SCRIPT], env={"VIGIL_DEVICE": "meta"}, values=["nothing"], schedule=every)
    assert done.code == 0, done.err
    return done


# Strict mode raises what the hook meets: one .item(), .cpu(), bool() or nonzero() of a tensor on the meta device ends the training.
def test_steps_wait_for_no_value(trainings):
    run = trainings.run
    assert any(s.reduced for s in run.steps), "its statistics came"
    assert [n for n in run.notices if "failed" in n["text"]] == []
    looked_at = [run.facts] + [t["facts"] for t in run.facts["trainings"] if t.get("facts")]
    assert len(looked_at) == 4
    for facts in looked_at:
        assert {"parameters", "updates", "inputs"} <= set(facts)
    assert run.facts["labels"]["elements"] and None not in run.series("loss")


# All parameters and gradients together: a step with statistics is given less than a hundred operations more, any other the three that read each of its losses.
def test_a_step_is_given_few_operations(trainings):
    for name, plain in json.loads(trainings.plain_out).items():
        more = sorted(with_vigil - bare for with_vigil, bare in zip(json.loads(trainings.out)[name], plain))
        assert len(more) == SEEN and more[-1] < 100, (name, more)
        assert more[SEEN - SEEN // EVERY - 1] <= 9, (name, more)


@pytest.mark.parametrize("scale", [None, 8.0, torch.tensor(8.0), torch.tensor([8.0])], ids=["plain", "by a number", "by a tensor", "by a tensor with an axis"])
def test_statistics_of_many_parameters_are_as_many_operations_as_those_of_few(scale):
    def dispatched(n):
        tensors = [torch.randn(30, 3) for _ in range(n)]
        recipe = device_statistics.Recipe(range(n), tensors)
        index = torch.tensor(recipe.places())
        with Dispatched() as seen:
            device_statistics.compute(recipe, tensors, index, scale, range(n) if scale is not None else ())
        return seen.names

    assert len(dispatched(200)) == len(dispatched(2)) < 100
    assert "_local_scalar_dense" not in dispatched(2)


def test_labels_of_a_device_are_read_later_and_are_the_same(monkeypatch):
    torch.manual_seed(0)
    given = [
        [torch.randint(5, (32,)) for _ in range(5)],
        [torch.rand(16, 4) for _ in range(5)],
        [torch.randint(2, (8, 3, 3)) for _ in range(5)],
        [torch.eye(4)[torch.randint(4, (9,))] for _ in range(5)],
        [torch.tensor([1.0, float("nan"), 2.5]), torch.tensor(3.0)],
    ]

    def facts(batches):
        source = labels.Source("loss", batches[0], None, None)
        for batch in batches:
            batch = batch.clone()
            source.read(batch, 3)
            batch.zero_()  # the script may use its memory again
        waiting = len(source.kept.waiting)
        return waiting, source.gather()

    at_once = [facts(batches) for batches in given]
    monkeypatch.setattr(device, "far", lambda tensor: True)
    later = [facts(batches) for batches in given]
    assert [f for _, f in at_once] == [f for _, f in later]
    assert [n for n, _ in at_once] == [0] * len(given) and [n for n, _ in later] == [len(b) for b in given]
