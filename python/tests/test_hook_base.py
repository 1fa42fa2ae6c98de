"""What the calls of a script's hook become, whatever framework it is for."""

import copy
import enum
import os
import pickle

import pytest

from vigil import _hook_base
from vigil._hook_base import Handle, modes


class Told(object):
    """Takes the place of a framework's Tracker: keeps what it is told."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *args: self.calls.append((name,) + args)


@pytest.fixture
def hook():
    made = Handle()
    made._tracker = Told()
    return made


class ModeKeys(enum.Enum):
    """As other libraries have it."""

    TRAIN = 1
    EVAL = 2
    PREDICT = 3
    GLOBAL = 4


@pytest.mark.parametrize(
    "mode, number",
    [(m, m.value) for m in modes]
    + [("train", 0), ("Eval", 1), ("PREDICT", 2), ("global", 3), (0, 0), (3, 3), (None, None)]
    + [(ModeKeys.TRAIN, 0), (ModeKeys.GLOBAL, 3)],
)
def test_modes(hook, mode, number):
    hook.set_mode(mode)
    assert hook._tracker.calls == [("set_mode", number)]


def test_scripts_of_sagemaker_debugger_keep_their_values(hook):
    hook.save_scalar("accuracy", 0.5, sm_metric=True)
    hook.save_scalar("accuracy", 0.6, True, 1e9)
    hook.save_tensor("t", [1], collections_to_write="losses")
    hook.save_tensor("t", [1], collections_to_write=("losses", "mine"))
    hook.save_tensor("t", [1], "mine")
    assert hook._tracker.calls == [
        ("save_scalar", "accuracy", 0.5),
        ("save_scalar", "accuracy", 0.6),
        ("save_tensor", "t", [1], "losses"),
        ("save_tensor", "t", [1], ("losses", "mine")),
        ("save_tensor", "t", [1], "mine"),
    ]


@pytest.mark.parametrize("mode", ["training", 4, -1, object(), ""])
def test_what_is_no_mode(hook, mode, monkeypatch, capfd):
    """It raises in strict mode only; else it is said once, and the mode stays."""
    with pytest.raises((ValueError, TypeError)):
        hook.set_mode(mode)
    monkeypatch.setattr("vigil._guard.strict", False)
    assert hook.set_mode(mode) is None and hook._tracker.calls == []
    assert "capture failed in Handle.set_mode" in capfd.readouterr().err


@pytest.mark.parametrize(
    "given, fields",
    [
        ({}, {}),
        ({"regex": "conv.*"}, {"regex": ["conv.*"]}),
        ({"regex": ("a", "b"), "names": {"c"}}, {"regex": ["a", "b"], "names": ["c"]}),
        ({"every": 10, "start": 5, "end": 20}, {"every": 10, "start": 5, "end": 20}),
        ({"every": "10"}, {"every": 10}),
        ({"start": 0}, {"start": 0}),
        ({"end": 0}, {"end": 0, "off": True}),
        ({"steps": [1, 5]}, {"steps": [1, 5]}),
        ({"steps": range(3)}, {"steps": [0, 1, 2]}),
        ({"steps": 7}, {"steps": [7]}),
        ({"steps": "1/5, 9"}, {"steps": [1, 5, 9]}),
        ({"mode": "train"}, {"mode": "train"}),
        ({"mode": "train/eval"}, {"mode": "train/eval"}),
        ({"mode": modes.EVAL}, {"mode": "EVAL"}),
        ({"mode": [modes.EVAL, "predict"]}, {"mode": "EVAL/predict"}),
        ({"mode": 2}, {"mode": "PREDICT"}),
        ({"mode": ModeKeys.TRAIN}, {"mode": "TRAIN"}),
        ({"mode": "trian"}, {"mode": "trian"}),  # the agent names the nearest
        ({"raw": True, "hist": 1}, {"raw": True, "hist": True}),
    ],
    ids=str,
)
def test_collections(hook, given, fields):
    hook.collection("mine", **given)
    assert hook._tracker.calls == [("collection", dict(fields, name="mine"))]


@pytest.mark.parametrize(
    "collections, names",
    [((), []), ("weights", ["weights"]), (["a", "b"], ["a", "b"]), ({"name": "a"}, ["a"]), ([{"name": "a", "every": 2}, "b"], ["a", "b"])],
    ids=str,
)
def test_collections_of_a_constructor(hook, collections, names):
    hook._collections(collections)
    assert [call[1]["name"] for call in hook._tracker.calls] == names


SETTINGS = ("VIGIL_EVERY", "VIGIL_BUDGET", "VIGIL_RULES", "VIGIL_WORKERS", "VIGIL_SAVE_ALL")


@pytest.mark.parametrize(
    "given, want",
    [
        ({}, {}),
        ({"every": 50}, {"VIGIL_EVERY": "50"}),
        ({"budget": 0.05}, {"VIGIL_BUDGET": "5%"}),
        ({"budget": "3%"}, {"VIGIL_BUDGET": "3%"}),
        ({"rules": "none"}, {"VIGIL_RULES": "none"}),
        ({"save_all": True}, {"VIGIL_SAVE_ALL": "1"}),
        ({"save_all": False}, {}),
        # exactly "all" means all ranks
        ({"include_workers": "all"}, {"VIGIL_WORKERS": "all"}),
        ({"include_workers": "one"}, {}),
        ({"include_workers": "chief"}, {}),
        ({"include_workers": None}, {}),
    ],
    ids=str,
)
def test_settings_of_a_run_of_its_own(given, want, monkeypatch):
    for name in SETTINGS:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    _hook_base.settings(**given)
    assert {name: os.environ[name] for name in SETTINGS if name in os.environ} == want


def test_under_vigil_run_its_flags_decide(monkeypatch):
    monkeypatch.setenv("VIGIL_SOCKET", "/there")
    _hook_base.settings(every=50, save_all=True)
    assert "VIGIL_EVERY" not in os.environ and "VIGIL_SAVE_ALL" not in os.environ


def test_a_hook_that_is_off_does_nothing():
    """Without a Tracker every call is allowed."""
    made = Handle()
    assert not made.active
    with made as hook:
        hook.set_mode("train")
        hook.save_scalar("a", 1)
        hook.save_tensor("b", [1])
        hook.collection("c", regex="d")
        hook.close()
        hook.close()


def test_copies_and_pickles(hook):
    """A copy is the hook itself; what is read again is inactive."""
    assert copy.deepcopy(hook) is hook
    again = pickle.loads(pickle.dumps(hook))
    assert type(again) is Handle and not again.active
    again.save_scalar("a", 1)
    assert hook._tracker.calls == []
