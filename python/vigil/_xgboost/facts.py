"""What was understood of a training, for machines and in one line for people."""

import xgboost

from vigil import _look, _messages

MOST_NAMES = 1000
_LINE = "XGBoost %s, %s · %s rows, %d features · %s · predictions for %s (%s rows) · a step is one round of boosting"


def tell(tracker, training):
    """Say it."""
    tracker.session.facts(gather(training), sentence(training))


def gather(training):
    """The facts as a JSON object."""
    facts = {"v": _messages.FACTS, "framework": "xgboost", "models": [], "optimisers": [], "step": "one round of boosting"}
    if not _look.wanted():
        return dict(facts, look=False)
    return dict(
        facts,
        boosting={
            "at": training.next,
            "booster": training.booster,
            "objective": training.objective,
            "hyperparameters": dict(training.texts, **training.numbers),
            "features": len(training.features),
            "feature_names": training.features if len(training.features) <= MOST_NAMES else None,
            "rows": _rows(training.train),
            "first_round": training.first,
            "data": [{"name": n, "rows": _rows(d), "training": d is training.train} for n, d in training.data],
            "predictions_for": {"name": training.judged_name, "rows": _rows(training.judged)},
            "early_stopping": _watched(training),
            "unused": training.unused,
        },
    )


def sentence(training):
    """One line for people."""
    losses = ", ".join(n for n, _ in training.data) or "nothing"
    return _LINE % (
        xgboost.__version__, training.objective or training.booster or "no objective", _thousands(_rows(training.train)), len(training.features),
        "metrics on " + losses, training.judged_name or "nothing", _thousands(_rows(training.judged)),
    )  # fmt: skip


def _watched(training):
    """The data that early stopping watches, or None."""
    for name, data in reversed(training.data):
        if name == training.watched:
            return {"name": name, "rows": _rows(data), "training": data is training.train}
    return None


def _rows(data):
    try:
        return int(data.num_row())
    except Exception:
        return 0


def _thousands(n):
    return "{:,}".format(n)
