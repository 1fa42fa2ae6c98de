"""The lane of ordinary steps: what it publishes is what the general way publishes."""

import os

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
EVERY_50 = {"TRAIN": {"every": 50}, "EVAL": {"off": True}, "PREDICT": {"off": True}, "GLOBAL": {"off": True}}


def _left(trained, **env):
    done = trained(os.path.join(HERE, "ordinary_steps.py"), env=env, schedule=EVERY_50)
    steps = sorted((s.mode, s.mode_step, s.number, s.seconds is not None, sorted(s.scalars.items()), sorted(s.tensors)) for s in done.run.steps)
    return int(done.out.split()[-1]), steps, done


@pytest.mark.parametrize("criterion", ["", "1"])
def test_same_as_the_general_way(trained, criterion):
    taken, steps, done = _left(trained, LANE="1", CRITERION=criterion)
    none, general, _ = _left(trained, LANE="0", CRITERION=criterion)
    assert none == 0 and taken > 200, "the lane was taken by %d and %d steps" % (taken, none)
    assert steps == general
    assert done.digest == done.plain_digest


def test_with_two_optimisers_the_search_ends_when_both_have_stepped(trained):
    done = trained(os.path.join(HERE, "two_optimisers.py"))
    assert done.out.split()[-1] == "0"
