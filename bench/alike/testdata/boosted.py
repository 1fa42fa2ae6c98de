"""XGBoost: trained with early stopping, gone on with, saved in its own format and pickled."""

import pickle

import numpy as np
import xgboost as xgb

rng = np.random.default_rng(6)
x = rng.normal(size=(300, 5))
y = (x[:, 0] * x[:, 1] > 0).astype(int)
train, valid = xgb.DMatrix(x[:200], y[:200]), xgb.DMatrix(x[200:], y[200:])
options = {"objective": "binary:logistic", "max_depth": 3, "seed": 6, "nthread": 1}
results = {}
model = xgb.train(options, train, 15, [(train, "train"), (valid, "valid")], early_stopping_rounds=5, evals_result=results)
model = xgb.train(options, train, 5, xgb_model=model, verbose_eval=False)
model.save_model("model.json")
with open("model.pickle", "wb") as file:
    pickle.dump(model, file)
classifier = xgb.XGBClassifier(n_estimators=8, max_depth=2, n_jobs=1).fit(x[:200], y[:200])
with open("classifier.pickle", "wb") as file:
    pickle.dump(classifier, file)
print(len(results["valid"]["logloss"]), classifier.score(x[200:], y[200:]))
