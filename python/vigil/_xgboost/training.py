"""One training: its data, and what is known of its model.

A model is asked nothing before its first round is over. XGBoost sets a model up
when it is asked or trained first, and warns then, in the name of the line that
asked; it sets it up again after a parameter has changed.
"""

from vigil._xgboost import booster, given, metrics

_NO_SETTINGS = frozenset(("num_trees",))  # counts, that a setting is not


class Training(object):
    """Made when a training begins; the data come with its first round, the rest with the end of it."""

    def __init__(self, watch, cv):
        self.watch = watch
        self.cv = cv
        self.first = None  # rounds the model had before, once the first round is over
        self.next = None  # step of the round under way, or the next one
        self.looked = False  # the first round is over
        self.open = False  # a round is under way
        self.began = self.ended = None  # perf_counter seconds of the round under way, and of the end of the last one
        self.own = 0  # nanoseconds of it that were ours
        self.log = None  # XGBoost's own record of its metrics
        self.epoch = 0
        self.model = None
        self.ids = {}  # (data, metric) -> ids of the numbers it is published as
        self.loss = None  # the metric that is the loss
        self.data = []  # (name, DMatrix) that metrics are computed on
        self.watched = None  # the name among them that early stopping watches
        self.train = None  # DMatrix
        self.own_objective = False  # the script computes it; the model's settings name the default one
        self.judged = None  # DMatrix that predictions are made for
        self.judged_name = ""
        self.features = []
        self.linear = False
        self.fragile = False
        self.objective = ""
        self.booster = ""
        self.numbers = {}
        self.texts = {}
        self.unused = {}
        self._labels = None

    def given(self, train, evals, own_objective, watched):
        """The data of a round: the same for all of them."""
        if self.train is not None:
            return
        self.train = train
        self.own_objective = own_objective
        self.data = [(name, data) for data, name in evals or ()]
        self.watched = watched
        held_out = [(n, d) for n, d in self.data if d is not train]
        own = self.watch.validation_data() if self.watch.asked else None
        if own is not None:
            self.judged, self.judged_name = own, "the hook's validation_data"
        elif held_out:
            self.judged_name, self.judged = held_out[-1]
        elif self.data:
            self.judged_name, self.judged = self.data[-1]
        else:
            self.judged_name, self.judged = "the training data", train

    def count(self, model, epoch):
        """A round is over, the first of which the model is asked: how many it had before the training."""
        if self.first is not None:
            return
        had = 0
        # Of an update the trees are changed one round after the other, from the first.
        if not self.cv and booster.settings(model).get("process_type") != "update":
            had = max(booster.rounds(model) - epoch - 1, 0)
        self.first = self.next = had

    def continues(self, previous):
        """Whether it trains the model of a previous training further."""
        return previous is not None and self.first >= (previous.next or 0) > 0

    def over(self):
        """Keep nothing of the script's alive: neither model nor data."""
        self.open = False
        self.log = self.model = self.train = self.judged = self._labels = None
        self.data = []

    def look(self, model):
        """Read what is known once the first round is over."""
        settings = booster.settings(model)
        self.booster = settings.get("booster", "")
        self.linear = self.booster == "gblinear"
        self.fragile = booster.OLD and settings.get("multi_strategy") == "multi_output_tree"
        self.objective = "custom" if self.own_objective else settings.get("objective", "")
        self.features = booster.features(model)
        self.unused = given.unused(model)
        self.numbers = self._numbers(settings)
        self.texts = {k: v for k, v in settings.items() if k not in self.numbers and k not in _NO_SETTINGS and v}
        if self.watch.asked:
            self.texts.update((str(k), str(v)) for k, v in self.watch.hyperparameters.items() if k not in self.numbers)

    def _numbers(self, settings):
        out = {}
        given = self.watch.hyperparameters if self.watch.asked else {}
        for key, value in list(settings.items()) + list(given.items()):
            number = _number(value)
            if number is not None and key not in _NO_SETTINGS:
                out[str(key)] = number
        return out

    def read_numbers(self, model):
        """The settings that are numbers, as they are now."""
        return self._numbers(booster.settings(model))

    def labels(self):
        """The labels of the data that predictions are made for, or None when there are none."""
        if self._labels is None and self.judged is not None:
            labels, rows = self.judged.get_label(), self.judged.num_row()
            if labels.size and rows:
                self._labels = labels.reshape(rows, -1) if labels.ndim == 1 and labels.size > rows and labels.size % rows == 0 else labels
        return self._labels

    def explained(self):
        """The data whose predictions are explained."""
        own = self.watch.train_data() if self.watch.asked else None
        return own if own is not None else self.train

    def is_training(self, name):
        """Whether metrics on data of that name are those of the training."""
        for n, data in self.data:
            if n == name and self.train is not None:
                return data is self.train
        return metrics.is_training(name)


def _number(value):
    if isinstance(value, bool):
        return float(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if number == number else None
