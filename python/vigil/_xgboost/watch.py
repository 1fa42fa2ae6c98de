"""The callback that follows one training, and how every training gets one.

XGBoost keeps the callbacks of a training in a container, which is also told
the data of each round. It is wrapped in three places: where it is made, a Watch
is added unless the script gave one, and put first, because the callbacks after
one that stops the training are not called; before each round, the Watch is told
the data; and where the training ends. Where XGBoost has no such container only
a Watch that the script gives takes part.
"""

import functools

import xgboost

from vigil import _guard
from vigil._xgboost import booster


class Watch(xgboost.callback.TrainingCallback):
    """Passes the rounds of one training on to the Tracker. Changes nothing and raises nothing.

    ``asked``: the script itself gave it to the training.
    """

    _tracker = None
    asked = False
    further = None  # its training, as long as it is open whether that goes on with the model that is followed

    def before_training(self, model):
        self._call("begins", model)
        return model

    def before_iteration(self, model, epoch, evals_log):
        self._call("round_begins", model, epoch, evals_log)
        return False

    def after_iteration(self, model, epoch, evals_log):
        self._call("round_ends", model, epoch, evals_log)
        return False

    def after_training(self, model):
        self._call("ends", model)
        return model

    @_guard.guard
    def _call(self, what, *args):
        if self._tracker is not None:
            getattr(self._tracker, what)(self, *args)


class Unasked(Watch):
    """The Watch of a training whose script knows nothing of Vigil."""

    def __init__(self, tracker):
        super().__init__()
        self._tracker = tracker

    # The container is no part of a model, but a model of scikit-learn's kind may be copied with its callbacks.
    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return _nothing, ()


def _nothing():
    return Unasked(None)


def install(tracker):
    """Wrap XGBoost's container of callbacks. Whether it is there."""
    container = getattr(xgboost.callback, "CallbackContainer", None)
    made, before = getattr(container, "__init__", None), getattr(container, "before_iteration", None)
    if made is None or before is None:
        return False

    @functools.wraps(made)
    def init(self, *args, **kwargs):
        made(self, *args, **kwargs)
        _joins(tracker, self)

    @functools.wraps(before)
    def before_iteration(self, model, epoch, dtrain, evals, *args, **kwargs):
        _told(self, dtrain, evals)
        return before(self, model, epoch, dtrain, evals, *args, **kwargs)

    container.__init__ = init
    container.before_iteration = before_iteration
    return True


@_guard.guard
def _joins(tracker, container):
    callbacks = container.callbacks
    watches = [c for c in callbacks if isinstance(c, Watch)]
    if not watches and tracker.joins(bool(getattr(container, "is_cv", False))):
        watches = [Unasked(tracker)]
    if watches:
        container.callbacks = watches[:1] + [c for c in callbacks if not isinstance(c, Watch)]


@_guard.guard
def _told(container, dtrain, evals):
    for callback in container.callbacks:  # ours is the first, if there is one; XGBoost 2 has a set
        if isinstance(callback, Watch) and callback._tracker is not None:
            callback._tracker.given(callback, dtrain, evals, _own_objective(container), _watched(container, evals))
            return


def _watched(container, evals):
    """The name of the data that early stopping watches: those that it was told, or the last; None without it."""
    stopping = getattr(xgboost.callback, "EarlyStopping", ())
    for callback in container.callbacks:
        if isinstance(callback, stopping):
            return getattr(callback, "data", None) or (evals[-1][1] if evals else None)
    return None


def _own_objective(container):
    """Whether the script computes the objective itself, as far as the container tells: before XGBoost 3 it asks for margins for other reasons, too."""
    return not booster.OLD and bool(getattr(container, "_output_margin", False))
