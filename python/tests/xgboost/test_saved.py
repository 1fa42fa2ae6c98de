"""What is saved of a training is what XGBoost itself says of it."""

import numpy as np
import pytest

BINARY = """
d, v = pair(Y)
log = {}
params = {"objective": "binary:logistic", "max_depth": 3, "eta": 0.3, "eval_metric": ["auc", "logloss"]}
"""


def test_metrics_are_series_and_the_training_loss_is_the_loss(watched):
    w = watched(BINARY + 'm = xgb.train(params, d, 8, evals=[(d, "train"), (v, "validation")], evals_result=log, verbose_eval=False)\nend(m, log=log)')
    assert w.same
    assert [s.number for s in w.steps] == list(range(8)) == [s.mode_step for s in w.steps]
    assert {s.mode for s in w.steps} == {0}
    for data, metrics in w.said["log"].items():
        for metric, values in metrics.items():
            assert w.run.series("%s-%s" % (data, metric)) == pytest.approx(values, rel=1e-12)
    kinds = {name: w.run.info(name)["kind"] for name in ("train-auc", "train-logloss", "validation-logloss", "loss")}
    assert kinds == {"train-auc": "scalar", "train-logloss": "loss", "validation-logloss": "loss", "loss": "loss"}
    assert w.run.info("loss")["alias_of"] == "train-logloss"
    assert w.run.series("loss") == w.run.series("train-logloss")
    assert all(s.seconds > 0 and s.own_ns > 0 for s in w.steps)


def test_importance_is_each_feature_share_of_the_sum(watched):
    w = watched(BINARY + """
m = xgb.train(params, d, 5, evals=[(v, "validation")], verbose_eval=False)
end(m, scores={t: m.get_score(importance_type=t) for t in ("weight", "gain", "cover", "total_gain", "total_cover")}, names=NAMES)
""")  # fmt: skip
    assert w.same
    for kind, scores in w.said["scores"].items():
        total = sum(scores.values())
        for feature in w.said["names"]:
            got = w.steps[-1].scalars["feature_importance/%s/%s" % (kind, feature)]
            assert got == pytest.approx(scores.get(feature, 0.0) / total, abs=1e-12), (kind, feature)


def test_a_round_s_trees_are_a_table_of_nodes(watched):
    w = watched(BINARY + """
params.update(num_parallel_tree=2, subsample=0.7)
m = xgb.train(params, d, 3, evals=[(v, "validation")], verbose_eval=False)
table = m.trees_to_dataframe().fillna(-7)
end(m, rows=[[int(r.Tree), int(r.Node), r.Feature, float(r.Split), float(r.Gain), float(r.Cover)] for r in table.itertuples()], names=NAMES)
""")  # fmt: skip
    assert w.same
    rows = []
    for s in range(3):
        columns = [w.array(s, "trees/" + c) for c in ("Tree", "Node", "Feature", "Split", "Yes", "No", "Missing", "Gain", "Cover")]
        rows += list(zip(*columns))
    assert len(rows) == len(w.said["rows"])
    for got, want in zip(rows, w.said["rows"]):
        tree, node, feature, split, yes, no, missing, gain, cover = got
        assert (tree, node) == (want[0], want[1])
        assert (gain, cover) == pytest.approx((want[4], want[5]), rel=1e-5)
        if want[2] == "Leaf":
            assert (feature, yes, no, missing) == (-1, -1, -1, -1) and np.isnan(split)
        else:
            assert w.said["names"][feature] == want[2] and split == pytest.approx(want[3], rel=1e-5) and missing in (yes, no)


def test_labels_and_predictions_are_those_of_the_validation_data(watched):
    w = watched(BINARY + """
said = []
class Each(xgb.callback.TrainingCallback):
    def after_iteration(self, model, epoch, log):
        said.append(model.predict(v).tolist())
m = xgb.train(params, d, 4, evals=[(v, "validation"), (d, "train")], callbacks=[Each()], verbose_eval=False)
end(m, said=said, labels=v.get_label().tolist())
""")  # fmt: skip
    assert w.same
    for s in range(4):
        assert list(w.array(s, "labels")) == w.said["labels"]
        assert list(w.array(s, "predictions")) == pytest.approx(w.said["said"][s], abs=1e-6)
    assert w.run.info("labels")["kind"] == "label" and w.run.info("predictions")["kind"] == "prediction"


def test_contributions_are_computed_when_they_are_asked_for(watched):
    text = BINARY + """
m = xgb.train(params, d, 4, evals=[(v, "validation")], verbose_eval=False)
end(m, shap=m.predict(d, pred_contribs=True)[:, :-1].tolist(), names=NAMES)
"""
    w = watched(text)
    assert w.same
    shap = np.array(w.said["shap"])
    for i, name in enumerate(w.said["names"]):
        assert w.steps[-1].scalars["average_shap/" + name] == pytest.approx(shap[:, i].mean(), abs=1e-5)
        assert np.array(w.array(-1, "full_shap/" + name)) == pytest.approx(shap[:, i], abs=1e-5)
    w = watched(text, named=[("shap", None)])
    assert all("shap" not in name for s in w.steps for name in list(s.scalars) + list(s.tensors))
    assert [n for n in w.run.names() if "average_shap" in n] == ["average_shap/age"]  # it stands for all


def test_settings_are_hyperparameters(watched):
    w = watched(BINARY + 'm = xgb.train(params, d, 3, evals=[(v, "validation")], verbose_eval=False)\nend(m)', named=[("hyperparameters", None)])
    first, second = w.steps[0].scalars, w.steps[1].scalars
    assert first["hyperparameters/max_depth"] == 3 and first["hyperparameters/eta"] == pytest.approx(0.3)
    assert not any(n.startswith("hyperparameters/") for n in second)
    boosting = w.run.facts["boosting"]
    assert boosting["objective"] == "binary:logistic" and boosting["hyperparameters"]["tree_method"] == "auto"
    assert "binary:logistic" in w.run.said and "6 features" in w.run.said


def test_a_schedule_is_kept(watched):
    every = {"TRAIN": {"every": 4, "start": 1, "end": 10, "steps": [3]}}
    w = watched(BINARY + 'm = xgb.train(params, d, 14, evals=[(v, "validation")], verbose_eval=False)\nend(m)', named=[("^labels|^trees", every)])
    assert [s.number for s in w.steps if "labels" in s.tensors] == [3, 4, 8]
    assert [s.number for s in w.steps if "trees/Node" in s.tensors] == [3, 4, 8]


def test_very_many_features_are_saved_when_they_are_used(watched):
    w = watched("""
W = random.normal(size=(200, 3000)).astype(np.float32)
d = xgb.DMatrix(W, (W[:, 7] > 0).astype(np.float32))
m = xgb.train({"objective": "binary:logistic", "max_depth": 2}, d, 3)
end(m, used=m.get_score(importance_type="gain"))
""")
    assert w.same
    used, total = w.said["used"], sum(w.said["used"].values())
    got = {n: v for n, v in w.steps[-1].scalars.items() if n.startswith("feature_importance/gain/")}
    assert got == pytest.approx({"feature_importance/gain/" + f: v / total for f, v in used.items()}, abs=1e-12)
    assert len(w.run.names()) < 500
