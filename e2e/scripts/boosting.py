"""Boosting with faults planted: a feature that tells the label, a rare class, deep trees, and features that nobody needs.

boosting.py train | sklearn: by xgboost.train, or by scikit-learn's estimator.
boosting.py two | three | real: plain trainings on two classes, on three, and on numbers.
With "hook" as a second word the script makes the hook itself.
"""

import hashlib
import os
import sys

import numpy as np
import xgboost as xgb

random = np.random.default_rng(1)
n, features = 1200, 40
X = random.normal(size=(n, features)).astype(np.float32)
Y = (random.uniform(size=n) < 0.05).astype(np.float32)  # one in twenty
X[:, 3] = Y * 2 + random.normal(scale=0.7, size=n)  # leaks the label, not quite
names = ["f%d" % i for i in range(features)]
names[3] = "leak"
settings = dict(max_depth=8, learning_rate=0.3, min_child_weight=0, objective="binary:logistic")
callbacks = []
if "hook" in sys.argv:
    import vigil.xgboost as vg

    callbacks = [vg.Hook(name="hooked")]
if sys.argv[1] in ("two", "three", "real"):
    signal = X[:, 0] + X[:, 1] * X[:, 2]
    labels = {"two": signal > 0, "three": np.digitize(signal, [-0.7, 0.7]), "real": np.exp(signal)}[sys.argv[1]].astype(np.float32)
    objective = {"two": {"objective": "binary:logistic"}, "three": {"objective": "multi:softprob", "num_class": 3}, "real": {}}[sys.argv[1]]
    train = xgb.DMatrix(X[:900], labels[:900])
    test = xgb.DMatrix(X[900:], labels[900:])
    model = xgb.train(dict(objective, max_depth=3), train, 25, evals=[(train, "train"), (test, "validation")], verbose_eval=False)
elif sys.argv[1] == "train":
    train = xgb.DMatrix(X[:900], Y[:900], feature_names=names)
    test = xgb.DMatrix(X[900:], Y[900:], feature_names=names)
    model = xgb.train(settings, train, 20, evals=[(train, "train"), (test, "validation")], callbacks=callbacks, verbose_eval=10)
else:
    A, a, B, b = X[:900], Y[:900].astype(int), X[900:], Y[900:].astype(int)
    estimator = xgb.XGBClassifier(n_estimators=20, callbacks=callbacks or None, **settings)
    model = estimator.fit(A, a, eval_set=[(A, a), (B, b)], verbose=10).get_booster()
if os.environ.get("VIGIL_E2E_OUT"):
    with open(os.environ["VIGIL_E2E_OUT"], "w") as f:
        f.write(hashlib.sha256(model.save_raw()).hexdigest())
