"""What XGBoost's metrics are called, and which of them are losses."""

import re

# Built-in metrics that are the better the smaller they are; of others a word in the name tells.
_DOWN = frozenset(
    "rmse rmsle mae mape mphe logloss mlogloss error merror poisson-nloglik gamma-nloglik cox-nloglik gamma-deviance"
    " tweedie-nloglik aft-nloglik quantile expectile hinge pinball".split()
)
_WORDS = re.compile(r"loss|err|deviance|nloglik|nll")
_UP = re.compile(r"accuracy|auc")

_TRAINING = re.compile(r"^(d?train|training)$")
_VALIDATION = re.compile(r"^(validation|valid|val|test|eval)(_\d+)?$")


def is_loss(metric):
    """Whether a metric is a loss: it falls as the model gets better. What nothing is known of is none."""
    base = metric.split("@", 1)[0].split(":", 1)[0].lower()
    return base in _DOWN or (_WORDS.search(base) is not None and _UP.search(base) is None)


def is_training(name):
    """Whether data of that name is the training data, as far as a name tells."""
    return _TRAINING.match(name) is not None


def is_validation(name):
    """Whether data of that name is held out, as far as a name tells."""
    return _VALIDATION.match(name) is not None


def last(evals_log, n):
    """[(name of the data, metric, value)] of the n-th round (0-based) of a training."""
    out = []
    for data, metrics in (evals_log or {}).items():
        for metric, values in metrics.items():
            if len(values) > n:
                value = values[n]
                # Of a cross-validation it is the mean over the folds, with its deviation.
                out.append((data, metric, float(value[0] if isinstance(value, (tuple, list)) else value)))
    return out
