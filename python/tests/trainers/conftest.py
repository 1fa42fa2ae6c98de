"""Trains by the trainers of Hugging Face, Lightning and Accelerate, each training once with Vigil and once without."""

import json
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
for path in (HERE, os.path.dirname(HERE)):
    if path not in sys.path:
        sys.path.insert(0, path)

import collector
from with_and_without_vigil import train


class Watched(object):
    """What a training left: the ``run`` of its session, what its framework ``said``, and ``same``: its weights do not depend on Vigil."""

    def __init__(self, run, said, same):
        self.run = run
        self.said = said
        self.same = same


def watch(script, names, **options):
    """The trainings ``names`` of a file in trainings/, by name."""
    argv = [sys.executable, os.path.join(HERE, "trainings", script + ".py")] + names
    t = train(argv, many=names, limit=900, **options)
    said = [json.loads(line[5:]) for line in t.out.splitlines() if line.startswith("SAID ")]
    assert [s["kind"] for s in said] == names, t.err
    assert len(t.runs) == len(names), (len(t.runs), t.err)
    return {n: Watched(r, s, t.digest[n] is not None and t.digest[n] == t.plain_digest[n]) for n, r, s in zip(names, t.runs, said)}


@pytest.fixture(scope="session")
def trainings():
    """trainings(script, names): see watch; made once."""
    made = {}

    def get(script, names):
        if script not in made:
            made[script] = watch(script, names)
        return made[script]

    return get


__all__ = ["collector", "watch"]
