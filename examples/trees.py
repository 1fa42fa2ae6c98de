"""Who will cancel? Boosted trees on made-up customers; nothing in here knows of Vigil.

    vigil run --rule CreateXgboostReport -- python trees.py

One feature gives the answer away, and few customers cancel: both is what one
would like to be told.
"""

import numpy as np
import xgboost as xgb

random = np.random.default_rng(0)
n = 3000
names = ["months", "price", "calls", "age", "region", "refunds", "discount", "final_bill"]
X = random.normal(size=(n, len(names))).astype(np.float32)
cancels = 0.8 * X[:, 2] - 0.6 * X[:, 0] + 0.5 * X[:, 1] * X[:, 5] + random.normal(scale=0.5, size=n) > 2.2
y = cancels.astype(np.float32)
X[:, 7] += 4 * y  # a final bill is written when somebody has cancelled

train = xgb.DMatrix(X[:2000], y[:2000], feature_names=names)
held_out = xgb.DMatrix(X[2000:], y[2000:], feature_names=names)
params = {"objective": "binary:logistic", "eval_metric": ["auc", "logloss"], "max_depth": 6, "eta": 0.2, "seed": 1}
xgb.train(params, train, 80, evals=[(train, "train"), (held_out, "validation")], verbose_eval=20)
