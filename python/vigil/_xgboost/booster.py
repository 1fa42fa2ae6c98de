"""What a model of XGBoost says of itself. Works from its public methods alone."""

import json
import re

import numpy
import xgboost

OLD = int(xgboost.__version__.split(".")[0]) < 3
IMPORTANCES = ("weight", "gain", "cover", "total_gain", "total_cover")
COLUMNS = ("Tree", "Node", "Feature", "Split", "Yes", "No", "Missing", "Gain", "Cover")
WHOLE = frozenset(("Tree", "Node", "Feature", "Yes", "No", "Missing"))


def rounds(model):
    """The boosting rounds a model holds; 0 when it does not say (a linear model, or one before its first round)."""
    try:
        if settings(model).get("booster") == "gblinear":
            return 0
        return int(model.num_boosted_rounds())
    except Exception:
        return 0


def settings(model):
    """The settings in force by name, as text: those of the booster, of the learner, and of the objective."""
    try:
        config = json.loads(model.save_config())
    except Exception:
        return {}
    out = {}
    learner = config.get("learner") or {}
    _flatten(learner.get("gradient_booster") or {}, out)
    _flatten(learner.get("objective") or {}, out, skip=("name",))
    for part in ("generic_param", "learner_model_param", "learner_train_param"):
        _flatten(learner.get(part) or {}, out)
    return out


def _flatten(part, out, skip=("name", "updater", "specified_updater")):
    for key, value in part.items():
        if key in skip:
            continue
        if isinstance(value, dict):
            _flatten(value, out, skip)
        elif isinstance(value, (str, int, float)):
            out[key] = str(value)


def features(model):
    """The names of the features, f0, f1, … where they have none."""
    names = model.feature_names
    return [str(n) for n in names] if names else ["f%d" % i for i in range(model.num_features())]


def importance(model, kind, names):
    """Importance of each feature as its share of the sum; features of no importance have 0."""
    scores = model.get_score(importance_type=kind)
    values = {name: float(numpy.sum(numpy.abs(score))) for name, score in scores.items()}
    total = sum(values.values())
    return {name: (values.get(name, 0.0) / total if total > 0 else 0.0) for name in names}


def trees(model, round_, names):
    """The trees of one round as columns: one row for each node, sorted by tree and node.

    Feature is the position of the feature. Leaves have -1 there and in Yes, No
    and Missing, no Split, and their value as Gain. A split by categories has no
    Split either. None when the model has no such round.
    """
    if round_ < 0 or round_ >= model.num_boosted_rounds():
        return None
    dump = _dump(model[round_ : round_ + 1])
    places = {name: i for i, name in enumerate(names)}
    rows = []
    first = round_ * len(dump)
    for i, text in enumerate(dump):
        nodes = [json.loads(text)]
        tree = []
        while nodes:
            node = nodes.pop()
            nodes.extend(node.get("children") or ())
            tree.append(_row(first + i, node, places))
        rows.extend(sorted(tree, key=lambda r: r[1]))
    table = numpy.array(rows, dtype=numpy.float64).reshape(-1, len(COLUMNS))
    return {c: table[:, i].astype(numpy.int32 if c in WHOLE else numpy.float32) for i, c in enumerate(COLUMNS)}


def _dump(model):
    try:
        return model.get_dump(dump_format="json", with_stats=True)
    except Exception:
        return model.get_dump(dump_format="json")  # trees with a vector in each leaf have no statistics


def _row(tree, node, places):
    nan = float("nan")
    cover = _number(node.get("cover"))
    if "leaf" in node:
        leaf = node["leaf"]
        return (tree, node["nodeid"], -1, nan, -1, -1, -1, _number(leaf if not isinstance(leaf, list) else None), cover)
    return (tree, node["nodeid"], places.get(node.get("split"), -1), _number(node.get("split_condition")),
            node.get("yes", -1), node.get("no", -1), node.get("missing", -1), _number(node.get("gain")), cover)  # fmt: skip


def _number(value):
    return float(value) if isinstance(value, (int, float)) else float("nan")


def contributions(model, data, rows):
    """SHAP values of the first ``rows`` rows: (rows, features), with classes in between where there are several.

    None for more rows than can be computed in a while, where they cannot be taken apart.
    """
    if data.num_row() > rows:
        try:
            data = data.slice(list(range(rows)))
        except Exception:  # quantised data
            if data.num_row() > 10 * rows:
                return None
    values = numpy.asarray(model.predict(data, pred_contribs=True), dtype=numpy.float32)
    return values[:rows, ..., :-1]  # the last is the bias


def reason(error):
    """What an error says, in one line without the place in XGBoost's own source."""
    line = str(error).strip().split("\n")[0]
    return "%s: %s" % (type(error).__name__, re.sub(r"^\[[\d:]+\] \S+ (Check failed: .*?: )?", "", line)[:200])
