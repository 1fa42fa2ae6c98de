"""Reading the variables of a function of the script leaves no trace in it."""

import sys
import weakref

import pytest
import torch

from vigil._torch import variables as module
from vigil._torch.variables import variables

WAYS = ["as it is", "without PyFrame_GetVar"]


@pytest.fixture(params=WAYS, autouse=True)
def way(request, monkeypatch):
    if request.param != WAYS[0]:
        monkeypatch.setattr(module, "_get", False)


def function(read, extra=None):
    w = torch.ones(2)
    inner = torch.zeros(2)
    params = [w, inner]
    if extra is not None:
        late = extra

    def closure():
        return inner

    found = read(sys._getframe())
    return found, w, closure, params


def test_every_variable_by_its_name():
    found, w, closure, params = function(variables)
    assert found["w"] is w and found["inner"] is closure() and found["params"] is params and found["read"] is variables
    assert "late" not in found and "found" not in found
    assert function(variables, 5)[0]["late"] == 5


def test_of_a_module():
    names = {"variables": variables, "w": torch.ones(1), "sys": sys}
    exec("found = variables(sys._getframe())\nstill = w", names)
    assert names["found"]["w"] is names["w"] is names["still"]


def steps(gone, seen):
    for step in range(3):
        activation = torch.ones(4)
        gone.append(weakref.ref(activation))
        seen.append(variables(sys._getframe())["activation"] is activation)
        activation = None
    seen.append([ref() for ref in gone])


def test_no_tensor_stays_alive():
    """Not even while the function that made it goes on."""
    seen = []
    steps([], seen)
    assert seen == [True, True, True, [None, None, None]]


def test_what_locals_gave_stays_as_it_was():
    settings = locals()
    before = dict(settings)
    w = torch.ones(2)
    found = variables(sys._getframe())
    assert dict(settings) == before and "w" not in settings
    assert not found or found["w"] is w


def test_under_a_debugger(monkeypatch):
    """The variables of a function that is stepped through are its own."""

    def trace(frame, event, argument):
        return trace

    def stepped():
        w = 1
        variables(sys._getframe())
        w += 1
        return w

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        assert stepped() == 2
    finally:
        sys.settrace(before)
