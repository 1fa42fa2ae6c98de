"""Every kind of model and of data: captured or said, and never a different model."""

import pytest
from conftest import watch

KINDS = {
    "classes": ('d, v = pair(Y3)\nm = xgb.train({"objective": "multi:softprob", "num_class": 3, "max_depth": 2}, d, 4, evals=[(d, "train"), (v, "test")])', "trees/Node predictions"),
    "classes as numbers": ('d, v = pair(Y3)\nm = xgb.train({"objective": "multi:softmax", "num_class": 3}, d, 4, evals=[(v, "test")])', "trees/Node predictions"),
    "regression": ('d, v = pair(R)\nm = xgb.train({"objective": "reg:squarederror"}, d, 4, evals=[(d, "train"), (v, "val")])', "trees/Node predictions"),
    "without evaluation": ('d, v = pair(R)\nm = xgb.train({"objective": "reg:squarederror"}, d, 4)', "trees/Node predictions"),
    "dart": ('d, v = pair(Y)\nm = xgb.train({"objective": "binary:logistic", "booster": "dart", "rate_drop": 0.5}, d, 6, evals=[(v, "test")])', "trees/Node predictions"),
    "linear": ('d, v = pair(Y)\nm = xgb.train({"objective": "binary:logistic", "booster": "gblinear"}, d, 4, evals=[(v, "test")])', "predictions"),
    "margins": ('d, v = pair(Y)\nm = xgb.train({"objective": "binary:logitraw"}, d, 4, evals=[(v, "test")])', "predictions"),
    "quantised": ('d, v = pair(Y, kind=xgb.QuantileDMatrix)\nm = xgb.train({"objective": "binary:logistic"}, d, 4, evals=[(d, "train"), (v, "test")])', "trees/Node predictions"),
    "ranking": ('d, v = pair(Y)\nd.set_group([20] * 10)\nv.set_group([20] * 5)\nm = xgb.train({"objective": "rank:ndcg"}, d, 4, evals=[(v, "test")])', "trees/Node"),
    "survival": ('d = xgb.DMatrix(X)\nd.set_float_info("label_lower_bound", R + 5)\nd.set_float_info("label_upper_bound", R + 6)\nm = xgb.train({"objective": "survival:aft"}, d, 4, evals=[(d, "train")])', "trees/Node"),
    "own objective": ('d, v = pair(R)\nm = xgb.train({}, d, 4, obj=lambda p, d: (p - d.get_label(), np.ones_like(p)), evals=[(d, "train")])', "trees/Node predictions"),
    "two targets": ('d = xgb.DMatrix(X, np.stack([R, -R], axis=1))\nm = xgb.train({"multi_strategy": "multi_output_tree", "tree_method": "hist"}, d, 4, evals=[(d, "train")])', "predictions"),
    "one leaf": ('d, v = pair(Y)\nm = xgb.train({"objective": "binary:logistic", "gamma": 1e9}, d, 4, evals=[(v, "test")])', "trees/Node"),
    "categories": (
        'import pandas as pd\nF = pd.DataFrame({"c": pd.Categorical(np.digitize(X[:, 0], [-1, 0, 1])), "x": X[:, 1]})\n'
        'd = xgb.DMatrix(F, R, enable_categorical=True)\nm = xgb.train({"tree_method": "hist", "max_cat_to_onehot": 1}, d, 4, evals=[(d, "train")])',
        "trees/Node predictions",
    ),
    "missing values": ('X[::3, 0] = np.nan\nd, v = pair(Y)\nm = xgb.train({"objective": "binary:logistic"}, d, 4, evals=[(v, "test")])', "trees/Node predictions"),
    "stopped early": ('d, v = pair(Y)\nm = xgb.train({"objective": "binary:logistic", "eta": 2.0}, d, 60, evals=[(v, "test")], early_stopping_rounds=2)', "trees/Node predictions"),
    "stopped by a callback": ('d, v = pair(Y)\nm = xgb.train({"objective": "binary:logistic"}, d, 60, evals=[(v, "test")], callbacks=[xgb.callback.EarlyStopping(rounds=2, save_best=True)])', "trees/Node predictions"),
    "changing rate": ('d, v = pair(Y)\nm = xgb.train({"objective": "binary:logistic"}, d, 4, evals=[(v, "test")], callbacks=[xgb.callback.LearningRateScheduler(lambda i: 0.1 / (i + 1))])', "trees/Node predictions"),
    "scikit-learn classifier": ('A, a, B, b = X[:200], Y3[:200].astype(int), X[200:], Y3[200:].astype(int)\n'
                                'm = xgb.XGBClassifier(n_estimators=4, max_depth=2).fit(A, a, eval_set=[(A, a), (B, b)], verbose=False).get_booster()', "trees/Node predictions"),
    "scikit-learn regressor": ('m = xgb.XGBRegressor(n_estimators=4).fit(X, R).get_booster()', "trees/Node predictions"),
    "a forest": ('m = xgb.XGBRFClassifier(n_estimators=5).fit(X, Y).get_booster()', "trees/Node predictions"),
}  # fmt: skip


# All in children of one process, which imports XGBoost once.
ALL = """
print(flush=True)
out = os.environ.get("VIGIL_E2E_OUT")
for kind, text in KINDS:
    pid = os.fork()
    if pid == 0:
        os.environ["VIGIL_E2E_OUT"] = out + "-" + kind
        scope = dict(globals())
        exec(text, scope)
        m = scope["m"]
        end(m, kind=kind, rounds=m.num_boosted_rounds(), best=m.attr("best_iteration"))
        sys.exit(0)
    _, status = os.waitpid(pid, 0)
    if status:
        sys.exit("%s: exit status %d" % (kind, status))
"""


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    texts = [(kind, KINDS[kind][0]) for kind in sorted(KINDS)]
    return watch(tmp_path_factory.mktemp("kinds"), "KINDS = %r\n%s" % (texts, ALL), many=[k for k, _ in texts])


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_kind(kinds, kind):
    w = kinds[kind]
    assert w.same, w.err
    assert w.steps, w.err
    for name in KINDS[kind][1].split():
        assert all(name in s.tensors for s in w.steps), (name, w.run.missing)
    if w.said["best"] is None:
        assert len(w.steps) == (w.said["rounds"] or 4)  # a linear model does not say
    assert any(n.startswith("feature_importance/weight/") for n in w.steps[-1].scalars) or kind == "one leaf"
    unable = {"two targets": ["average_shap", "feature_importance"], "linear": ["trees"], "survival": []}
    assert {m["name"] for m in w.run.missing} <= set(unable.get(kind, [])), w.run.missing


def test_probabilities_of_margins(watched):
    w = watched(KINDS["margins"][0] + "\nend(m, p=(1 / (1 + np.exp(-m.predict(v)))).tolist())")
    assert list(w.array(-1, "predictions")) == pytest.approx(w.said["p"], abs=1e-5)


def test_data_that_is_the_training_data_is_known_by_itself(watched):
    w = watched(KINDS["scikit-learn classifier"][0] + "\nend(m)")
    assert w.run.info("validation_0-mlogloss")["alias_of"] == "train-mlogloss"
    assert w.run.series("loss") == w.run.series("validation_0-mlogloss") == w.run.series("train-mlogloss")
    assert w.run.facts["boosting"]["predictions_for"] == {"name": "validation_1", "rows": 100}


@pytest.mark.parametrize(
    "evals,how,watched_data",
    [
        ('[(v, "valid"), (d, "train")]', "early_stopping_rounds=3", {"name": "train", "rows": 200, "training": True}),
        ('[(d, "train"), (v, "valid")]', "early_stopping_rounds=3", {"name": "valid", "rows": 100, "training": False}),
        ('[(v, "valid"), (d, "train")]', 'callbacks=[xgb.callback.EarlyStopping(3, data_name="valid")]', {"name": "valid", "rows": 100, "training": False}),
        ('[(v, "valid"), (d, "train")]', "", None),
    ],
)
def test_what_early_stopping_watches_is_a_fact(watched, evals, how, watched_data):
    w = watched("d, v = pair(R)\nm = xgb.train({}, d, 3, evals=%s, %s)\nend(m)" % (evals, how))
    assert w.run.facts["boosting"]["early_stopping"] == watched_data


# What a model was given and does not use, as XGBoost's own warning names it.
UNUSED = [
    ('dict(eta=0.1, reg_lambda=2, eval_metric="rmse", random_state=3, verbosity=1, max_dept=3, n_estimators=600)', {"max_dept": "3", "n_estimators": "600"}),
    ('[("booster", "dart"), ("rate_drop", 0.1), ("objective", "reg:tweedie"), ("tweedie_variance_power", 1.4), ("num_leaves", 31), ("silent", None)]', {"num_leaves": "31"}),
]


@pytest.mark.parametrize("params,unused", UNUSED)
def test_parameters_that_are_not_used_are_a_fact(watched, params, unused):
    text = """
import warnings
d, v = pair(R + 9)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    m = xgb.train(%s, d, 3, evals=[(v, "test")])
said = [str(w.message).split("{")[1].split("}")[0] for w in caught if "not used" in str(w.message)]
end(m, warned=sorted(n.strip(' "') for n in ",".join(said).split(",") if n))
"""
    w = watched(text % params)
    assert w.run.facts["boosting"]["unused"] == unused
    assert w.said["warned"] == sorted(unused) and w.same


def test_metrics_of_held_out_data_under_another_name_are_no_losses(watched):
    w = watched('d, v = pair(R)\nm = xgb.train({}, d, 3, evals=[(d, "fitted"), (v, "holdout")])\nend(m)')
    assert w.run.info("holdout-rmse")["kind"] == "scalar"
    assert w.run.info("train-rmse")["kind"] == "loss" and w.run.info("fitted-rmse")["alias_of"] == "train-rmse"


def test_an_objective_of_the_script_s_own_is_named_so(watched):
    w = watched(KINDS["own objective"][0] + "\nend(m)")
    assert w.run.facts["boosting"]["objective"] == "custom"


def test_without_the_look_facts_are_not_told_and_all_else_is_captured(watched):
    training = KINDS["regression"][0] + "\nend(m)"
    looked, not_looked = watched(training).run, watched('import os; os.environ["VIGIL_LOOK"] = "0"\n' + training).run
    assert "boosting" in looked.facts and "look" not in looked.facts
    assert "boosting" not in not_looked.facts and not_looked.facts["look"] is False
    assert looked.series("loss") == not_looked.series("loss") and looked.names() == not_looked.names()
