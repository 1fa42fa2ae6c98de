"""Trains real models of XGBoost in child processes, once with Vigil and once without."""

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

# What every script begins with: data, and end(model, **said), which leaves the model's digest and what the test asks for.
HEAD = '''
import hashlib, json, os, sys
import numpy as np
import xgboost as xgb

random = np.random.default_rng(3)
X = random.normal(size=(300, 6)).astype(np.float32)
signal = X[:, 0] + 0.5 * X[:, 1] - 0.3 * X[:, 2] * X[:, 3]
Y = (signal > 0).astype(np.float32)
Y3 = np.digitize(signal, [-0.6, 0.6]).astype(np.float32)
R = (signal + random.normal(scale=0.1, size=300)).astype(np.float32)
NAMES = ["age", "weight", "height", "pulse", "noise a", "noise/b"]


def pair(y, names=NAMES, kind=xgb.DMatrix):
    return kind(X[:200], y[:200], feature_names=names), xgb.DMatrix(X[200:], y[200:], feature_names=names)


def end(model, **said):
    if "VIGIL_E2E_OUT" in os.environ:
        with open(os.environ["VIGIL_E2E_OUT"], "w") as f:
            f.write(hashlib.sha256(model.save_raw()).hexdigest())
    print("SAID " + json.dumps(said))

'''

EVERY = {"TRAIN": {"every": 1}, "EVAL": collector.OFF, "PREDICT": collector.OFF, "GLOBAL": {"every": 1}}
EACH = ((r"^(labels|predictions|trees/|feature_importance/|average_shap/|full_shap/)", EVERY),)


class Watched(object):
    """What a training left: the ``run`` of its session, what the script ``said``, and ``same``: the model does not depend on Vigil."""

    def __init__(self, runs, said, same, err):
        self.runs = runs
        self.said = said
        self.same = same
        self.err = err

    @property
    def run(self):
        assert len(self.runs) == 1, "%d sessions instead of one\n%s" % (len(self.runs), self.err)
        return self.runs[0]

    @property
    def steps(self):
        return self.run.steps

    def array(self, step, name):
        """The values of a tensor at the step of that place, flat."""
        return self.steps[step].values(name, collector._FORMATS.get(self.run.info(name)["dtype"], "i"))


def watch(directory, text, named=EACH, many=None, **options):
    """Run HEAD and the text under an agent that asks for everything at every round, unless ``named`` says else.

    many: names of trainings that the text makes one after another, each with a
    session and a digest of its own; then they come by name.
    """
    path = directory / "script.py"
    path.write_text(HEAD + text)
    t = train([sys.executable, str(path)], named=named, many=many or (), **options)
    said = [json.loads(line[5:]) for line in t.out.splitlines() if line.startswith("SAID ")]
    if many:
        assert [s["kind"] for s in said] == many, t.err
        assert len(t.runs) == len(many), (len(t.runs), t.err)
        return {k: Watched([r], s, t.digest[k] is not None and t.digest[k] == t.plain_digest[k], t.err) for k, r, s in zip(many, t.runs, said)}
    return Watched(t.runs, said[-1] if said else None, t.digest is not None and t.digest == t.plain_digest, t.err)


@pytest.fixture
def watched(tmp_path):
    """watched(text, ...): see watch."""

    def get(text, **options):
        return watch(tmp_path, text, **options)

    return get
