"""What a script may register with its hook, without a training: nothing of it reaches a session."""

import pytest
import torch
from torch import nn

from vigil._torch.tracker import Tracker


@pytest.fixture
def tracker():
    made = Tracker()
    yield made
    for root in made.roots:
        root.unhook()


def model():
    return nn.Sequential(nn.Linear(4, 3), nn.ReLU())


def test_a_module_is_a_root_once(tracker):
    net = model()
    tracker.register_module(net)
    tracker.register_module(net)
    assert [(root.name, root.inner()) for root in tracker.roots] == [("Sequential", net)]
    assert len(net._forward_pre_hooks) == 1


def test_what_wraps_a_root_is_the_same_root(tracker):
    wrapper = torch.optim.swa_utils.AveragedModel(model())
    tracker.register_module(wrapper)
    tracker.register_module(wrapper.module)
    assert [root.name for root in tracker.roots] == ["Sequential"]


def test_several_roots(tracker):
    """Names begin with their classes; two of one class are told apart."""
    first, second, third = model(), nn.Linear(3, 2), model()
    for net in (first, second, third):
        tracker.register_module(net)
    names = [root.name for root in tracker.roots]
    assert names[:2] == ["Sequential", "Linear"] and len(set(names)) == 3


@pytest.mark.parametrize("thing", [None, 3, "net", nn.Linear, torch.nn.functional.cross_entropy, [nn.Linear(1, 1)]], ids=repr)
@pytest.mark.parametrize("register", ["register_module", "register_loss"])
def test_what_is_no_module(tracker, register, thing):
    with pytest.raises(TypeError, match="not a torch.nn.Module"):
        getattr(tracker, register)(thing)
    assert tracker.roots == [] and len(tracker.losses.known) == 0


def test_a_loss_is_watched_once(tracker):
    criterion = nn.MSELoss()
    tracker.register_loss(criterion)
    tracker.register_loss(criterion)
    assert len(criterion._forward_hooks) == 1 and list(tracker.losses.known) == [criterion]


def test_a_module_of_any_class_may_be_a_loss(tracker):
    """Where the class says nothing of it, registering does."""
    criterion = model()
    tracker.register_loss(criterion)
    assert list(tracker.losses.known) == [criterion]
