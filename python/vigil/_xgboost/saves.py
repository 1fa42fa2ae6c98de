"""What is saved of a model: one class for each collection.

Each announces its tensors before the first round is over, so that the plan can
say when they are due, and computes what is due after a round.
"""

import numpy

from vigil import _arrays as arrays
from vigil._xgboost import booster

MOST_FEATURES = 1000  # of more, only those that are used are saved
SHAP_ROWS = 1000  # rows whose contributions are computed


class Saves(object):
    """One collection. ``ids``: name -> id of its tensors; ``missing``: the reason it cannot be saved, once known."""

    name = ""
    costly = False  # not computed before the plan asks for it

    def __init__(self, session):
        self.session = session
        self.ids = {}
        self.missing = None
        self.groups = {}  # schedule indexes, None where the plan does not know yet -> names
        self.seen = False  # it was saved before the plan knew it

    def infos(self, training):
        """What to announce of a training."""
        return []

    def announce(self, training):
        new = [i for i in self.infos(training) if i["name"] not in self.ids]
        if new:
            for info, id in zip(new, self.session.announce_tensors(new)):
                if id is not None:
                    self.ids[info["name"]] = id
        return bool(new)

    def apply(self, plan):
        """Group the tensors by what the plan says of them; the schedules they go by."""
        self.groups = {}
        for name, id in self.ids.items():
            known = plan.tensors.get(id)
            key = None if known is None else frozenset(i for i in known if i >= 0)
            self.groups.setdefault(key, set()).add(name)
        return set().union(*(key for key in self.groups if key))

    def wanted(self):
        """Whether the plan asks for any of it at some time."""
        return any(self.groups)

    def due(self, schedules):
        """The names that are due when these schedules are."""
        names = set()
        for key, group in self.groups.items():
            if key is None:
                if not self.seen and not self.costly:
                    names |= group
            elif not key.isdisjoint(schedules):
                names |= group
        return names

    def save(self, training, model, names, at):
        """Publish the values of what is due."""
        self.seen = True
        if self.missing is not None:
            return
        try:
            self._save(training, model, names, at)
        except Exception as error:
            self.tell(booster.reason(error))

    def tell(self, reason):
        """Say once why nothing more of it is saved."""
        if self.missing is None:
            self.missing = reason
            self.session.missing([(self.name, reason, 1)])

    def scalar(self, name, value, at):
        self.session.scalar(self.ids[name], at[0], at[1], at[2], value)

    def array(self, name, array, at):
        shape = self.shapes.get(name)
        arrays.send(self.session, self.ids[name], array, 0 if shape == array.shape else self.session.shape_id(array.shape), at)

    shapes = {}  # name -> shape as announced


class Hyperparameters(Saves):
    """The settings in force that are numbers: hyperparameters/<name>."""

    name = "hyperparameters"

    def infos(self, training):
        return [_number("hyperparameters/" + key) for key in training.numbers]

    def _save(self, training, model, names, at):
        numbers = training.read_numbers(model)
        for key, value in numbers.items():
            if "hyperparameters/" + key in names:
                self.scalar("hyperparameters/" + key, value, at)


class OfTrees(Saves):
    """What is read out of the trees themselves."""

    def announce(self, training):
        if training.fragile:
            self.tell("several targets per leaf: reading them crashes this version of XGBoost")
            return False
        return super().announce(training)


class Importance(OfTrees):
    """feature_importance/<type>/<feature>: shares of the sum over the features."""

    name = "feature_importance"

    def infos(self, training):
        # Of very many features the first stands for all; the others are announced when they are first used.
        features = training.features[: 1 if self._many(training) else None]
        return [_number(_importance(kind, f)) for kind in self._kinds(training) for f in features]

    def _many(self, training):
        return len(training.features) > MOST_FEATURES

    def _kinds(self, training):
        return ("weight",) if training.linear else booster.IMPORTANCES

    def _save(self, training, model, names, at):
        for kind in self._kinds(training):
            prefix = _importance(kind, "")
            due = [n for n in names if n.startswith(prefix)]
            if not due:
                continue
            shares = booster.importance(model, kind, training.features)
            if self._many(training):
                due = [prefix + f for f, share in shares.items() if share > 0]
                self._first_use(due)
            for name in due:
                if name in self.ids:
                    self.scalar(name, shares[name[len(prefix) :]], at)

    def _first_use(self, names):
        new = [_number(n) for n in names if n not in self.ids]
        for info, id in zip(new, self.session.announce_tensors(new) if new else ()):
            if id is not None:
                self.ids[info["name"]] = id


def _importance(kind, feature):
    return "feature_importance/%s/%s" % (kind, feature)


class Trees(OfTrees):
    """trees/<column>: the nodes of the trees of the round."""

    name = "trees"

    def infos(self, training):
        if training.linear:
            self.tell("a linear model has no trees")
            return []
        return [{"name": "trees/" + c, "kind": "custom", "dtype": "I32" if c in booster.WHOLE else "F32", "shape": [1]} for c in booster.COLUMNS]

    def _save(self, training, model, names, at):
        table = booster.trees(model, at[2], training.features)
        if table is None:
            return
        for column, values in table.items():
            if "trees/" + column in names:
                self.array("trees/" + column, values, at)


class Labels(Saves):
    """labels: those of the data that the predictions are made for."""

    name = "labels"

    def infos(self, training):
        values = training.labels()
        if values is None:
            return []
        self.shapes = {"labels": values.shape}
        return [_given("labels", values, "label", training)]

    def _save(self, training, model, names, at):
        values = training.labels()
        if values is not None:
            self.array("labels", values, at)


class Predictions(Saves):
    """predictions: what the model says now."""

    name = "predictions"

    def infos(self, training):
        values = training.labels()
        if values is None:
            return []
        self.shapes = {"predictions": values.shape}
        return [_given("predictions", values, "prediction", training)]

    def _save(self, training, model, names, at):
        values = numpy.asarray(model.predict(training.judged), dtype=numpy.float32)
        if training.objective == "binary:logitraw":
            values = 1 / (1 + numpy.exp(-values))
        self.array("predictions", values, at)


class Shap(OfTrees):
    """average_shap/<feature> and full_shap/<feature>: what each feature adds to the predictions of the training data."""

    name = "average_shap"
    costly = True

    def infos(self, training):
        features = training.features
        if training.judged is None or not features:
            return []
        if len(features) > MOST_FEATURES:
            self.tell("more than %d features" % MOST_FEATURES)
            return []
        # The first feature stands for all until the plan asks for it: few want what takes long.
        features = features if self.wanted() else features[:1]
        self.shapes = {"full_shap/" + f: (1,) for f in features}
        averages = [_number("average_shap/" + f) for f in features]
        return averages + [{"name": "full_shap/" + f, "kind": "custom", "dtype": "F32", "shape": [1]} for f in features]

    def _save(self, training, model, names, at):
        data = training.explained()
        values = None if data is None else booster.contributions(model, data, SHAP_ROWS)
        if values is None:
            self.tell("the contributions of quantised data cannot be computed for some rows only; pass train_data with fewer rows to the hook")
            return
        for i, feature in enumerate(training.features):
            column = values[..., i]
            if "average_shap/" + feature in names:
                # Over several classes the signs would cancel.
                mean = column if column.ndim == 1 else numpy.abs(column)
                self.scalar("average_shap/" + feature, float(mean.mean(dtype=numpy.float64)), at)
            if "full_shap/" + feature in names:
                self.array("full_shap/" + feature, column, at)


def _given(name, array, kind, training):
    """How labels and predictions are announced: as what the objective compares."""
    return dict(arrays.info(name, array, kind), module="objective", module_type=training.objective)


ALL = (Hyperparameters, Importance, Trees, Labels, Predictions, Shap)


def _number(name):
    return {"name": name, "kind": "scalar", "dtype": "F64", "shape": []}
