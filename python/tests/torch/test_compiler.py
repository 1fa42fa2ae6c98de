"""How often PyTorch's compiler ran, and how long, as it notes itself (vigil._torch.compiler)."""

import collections
import os
import sys
import types

import collector
import pytest
import torch

from vigil._torch import compiler

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "small_compiler.py")
HAS_COMPILER = hasattr(torch, "compile")
KEEPS_PLACES = tuple(int(n) for n in torch.__version__.split(".")[:2]) >= (2, 5)  # and the reasons of compilations


@pytest.fixture
def train(watched):
    """train(name): (the facts that were sent, the number of compilations that the compiler notes)."""

    def run(name):
        run, out = watched(SCRIPT, name)
        return [m["facts"] for m in run.of("compiler")], int(out.split()[-2])

    return run


def test_nothing_is_compiled(train):
    told, _ = train("plain")
    assert told == []


@pytest.mark.skipif(not HAS_COMPILER, reason="no torch.compile")
@pytest.mark.parametrize("name, least, breaks, reason", [("compiled", 1, 0, ""), ("breaks", 2, 1, ""), ("shapes", 45, 0, "size mismatch")])
def test_trainings(name, least, breaks, reason, train):
    told, noted = train(name)
    last = told[-1]
    assert last["compilations"] == noted >= least and last["graph_breaks"] == breaks and 0 < last["seconds"] < 60
    assert all(facts["steps"] >= compiler.FIRST for facts in told)
    assert last["steps"] == 45 if reason else len(told) == 1, "nothing is compiled after the first steps"
    if KEEPS_PLACES:
        assert (last["file"], "forward" in last["function"]) == (SCRIPT, True)
        assert reason in last.get("reason", "") and bool(reason) == ("reason" in last)


@pytest.mark.skipif(not HAS_COMPILER, reason="no torch.compile")
def test_places_are_not_told(tmp_path):
    agent = collector.Collector(str(tmp_path / "s"))
    try:
        collector.train([SCRIPT, "breaks"], env=collector.environment(VIGIL_STRICT="1", VIGIL_SOCKET=agent.path, VIGIL_SOURCE="0"))
        agent.drain()
    finally:
        agent.die()
    told = [m["facts"] for m in agent.runs[0].of("compiler")]
    assert told and not {"file", "line", "function", "reason"} & set(told[-1])


class Session(object):
    """Takes what is told."""

    def __init__(self, before=0):
        self.steps, self.sent = before, []

    def train_steps(self):
        return self.steps

    def compiler(self, facts):
        self.sent.append((facts["steps"], facts["compilations"], facts["seconds"], facts["graph_breaks"]))


@pytest.fixture
def clock(monkeypatch):
    now = types.SimpleNamespace(seconds=1000.0)
    monkeypatch.setattr(compiler, "_seconds", lambda: now.seconds)
    return now


@pytest.fixture
def noted(monkeypatch):
    """What a compiler notes, which takes a quarter of a second each time."""
    utils = types.SimpleNamespace(compilation_time_metrics={}, counters=collections.defaultdict(collections.Counter))
    monkeypatch.setitem(sys.modules, "torch._dynamo.utils", utils)
    return utils


def compiles(noted, n, name="_compile.compile_inner"):
    noted.compilation_time_metrics.setdefault(name, []).extend([0.25] * n)


def go_on(one, session, clock, steps=20, seconds=5.0, last=False):
    session.steps += steps
    clock.seconds += seconds
    one.tell(session, last)


def test_it_is_told_now_and_then(noted, clock):
    one, session = compiler.Compiler(), Session(before=1000)  # it was resumed
    one.tell(session, False)
    compiles(noted, 3)
    go_on(one, session, clock, steps=19)
    assert session.sent == [], "every training compiles in its first steps"
    go_on(one, session, clock, steps=1)
    assert session.sent == [(1020, 3, 0.75, 0)]
    compiles(noted, 2)
    noted.counters["graph_break"]["a print"] += 2
    go_on(one, session, clock, seconds=1.0)
    go_on(one, session, clock, seconds=4.0)
    go_on(one, session, clock)
    assert session.sent[1:] == [(1060, 5, 1.25, 2)], "nothing was compiled after that"
    compiles(noted, 1)
    go_on(one, session, clock, seconds=1.0, last=True)
    assert session.sent[2:] == [(1100, 6, 1.5, 2)]


def test_a_compiler_that_is_reset(noted, clock):
    one, session = compiler.Compiler(), Session()
    one.tell(session, False)
    compiles(noted, 3)
    go_on(one, session, clock)
    noted.compilation_time_metrics.clear()
    compiles(noted, 4)
    go_on(one, session, clock)
    assert session.sent == [(20, 3, 0.75, 0), (40, 7, 1.75, 0)]


@pytest.mark.parametrize("name, compilations", [("_compile", 2), ("_compile.<locals>.compile_inner", 2), ("backward._backward_impl", 0), ("build_guards", 0)])
def test_names_in_releases(name, compilations, noted, clock):
    one, session = compiler.Compiler(), Session()
    compiles(noted, 2, name)
    one.tell(session, False)
    assert (one.compilations, one.seconds) == (compilations, 0.0 if name == "build_guards" else 0.5)


def test_another_session_is_told_anew(noted, clock):
    one, first, second = compiler.Compiler(), Session(), Session()
    one.tell(first, False)
    compiles(noted, 3)
    go_on(one, first, clock)
    go_on(one, second, clock)
    assert second.sent == []
    go_on(one, second, clock)
    assert second.sent == [(40, 3, 0.75, 0)]


@pytest.mark.parametrize("utils", [None, types.SimpleNamespace(), types.SimpleNamespace(compilation_time_metrics=None)])
def test_there_is_no_compiler(utils, monkeypatch, clock):
    if utils is None:
        monkeypatch.delitem(sys.modules, "torch._dynamo.utils", raising=False)
    else:
        monkeypatch.setitem(sys.modules, "torch._dynamo.utils", utils)
    one, session = compiler.Compiler(), Session()
    one.tell(session, False)
    go_on(one, session, clock)
    assert session.sent == [] and (utils is not None or "torch._dynamo.utils" not in sys.modules)
