"""What a process says of itself: its Python, where its packages are, and what the script gives vigil.config."""

import argparse
import collections
import dataclasses
import os
import sys

import fakeagent
import pytest

import vigil
from vigil import _provenance


@pytest.fixture(autouse=True)
def nothing_given(monkeypatch):
    monkeypatch.setattr(_provenance, "_config", {})


@dataclasses.dataclass
class Settings:
    depth: int = 3
    api_token: str = "sesame"


class Zero(object):
    """A number as NumPy and PyTorch have it."""

    shape = ()

    def item(self):
        return 0.5


class Awkward(object):
    def __str__(self):
        raise ValueError("no text")


@pytest.mark.parametrize(
    "given, stored",
    [
        ({"lr": 0.1, "n": 3, "name": "x", "on": True, "none": None}, {"lr": 0.1, "n": 3, "name": "x", "on": True, "none": None}),
        ({"model": {"depth": 12, "sizes": (64, 32)}}, {"model": {"depth": 12, "sizes": [64, 32]}}),
        (argparse.Namespace(lr=0.1, fast=False), {"lr": 0.1, "fast": False}),
        (collections.OrderedDict(a=1), {"a": 1}),
        ({"settings": Settings()}, {"settings": {"depth": 3, "api_token": "***"}}),
        ({"API_KEY": "sesame", "deep": [{"Password": {"a": "sesame"}}], "hfToken": 1}, {"API_KEY": "***", "deep": [{"Password": "***"}], "hfToken": "***"}),
        ({"lr": float("nan"), "big": 1 << 80, "zero": Zero()}, {"lr": "nan", "big": str(1 << 80), "zero": 0.5}),
        ({3: int, "f": len}, {"3": "int", "f": "len"}),
        ({"text": "x" * 5000}, {"text": "x" * 1000}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_vigil_config_stores(given, stored):
    vigil.config(given)
    assert _provenance.of_python()["config"] == stored


def test_calls_add_up():
    vigil.config({"a": 1, "b": 1})
    vigil.config({"b": 2})
    assert _provenance._config == {"a": 1, "b": 2}


def test_what_is_given_stays_as_it_is():
    given = {"api_key": "sesame", "deep": {"list": [1]}}
    vigil.config(given)
    given["deep"]["list"].append(2)
    assert given["api_key"] == "sesame"
    assert _provenance._config["deep"] == {"list": [1]}


@pytest.mark.parametrize("given", [None, 3, [1], {"a": Awkward()}, {"a%d" % i: "x" * 1000 for i in range(300)}], ids=["None", "number", "list", "no text", "too much"])
def test_what_cannot_be_stored_does_not_reach_the_script(given, monkeypatch, capsys):
    from vigil import _guard

    monkeypatch.setattr(_guard, "strict", False)
    vigil.config(given)
    assert _provenance._config == {}
    assert "vigil" in capsys.readouterr().err


def test_endless_values_have_bounds():
    endless = {}
    endless["again"] = endless
    vigil.config({"endless": endless, "many": list(range(100000))})
    assert len(_provenance._config.get("many", [])) <= _provenance.MOST_ENTRIES


def test_nothing_is_kept_when_off(monkeypatch):
    monkeypatch.setenv("VIGIL", "0")
    vigil.config({"a": 1})
    assert _provenance._config == {}


def test_a_session_says_what_its_process_is(connected):
    agent, _ = connected()
    fakeagent.until(lambda: agent.of("provenance"), "provenance")
    said = agent.of("provenance")[-1]
    assert said["python"]["executable"] == sys.executable
    assert all(os.path.isabs(p) for p in said["path"])
    vigil.config({"lr": 0.1, "token": "sesame"})
    fakeagent.until(lambda: agent.of("provenance")[-1].get("config"), "the configuration")
    said = agent.of("provenance")[-1]
    assert said["config"] == {"lr": 0.1, "token": "***"}
    assert said["python"]["executable"] == sys.executable, "a later message has what the earlier one had: the next agent reads the last one only"
