"""Control over capture from an XGBoost script: ``import vigil.xgboost as vg``.

    hook = vg.Hook()                      # optional: everything below has a default
    xgboost.train(params, dtrain, evals=[(dtrain, "train"), (dvalid, "validation")], callbacks=[hook])

Nothing of this is needed under ``vigil run``: the first training of a process
is followed by itself. Without ``vigil run`` the hook starts the agent itself.
With ``VIGIL=0`` all of it does nothing.
"""

from vigil import _guard, _hook_base
from vigil._hook_base import modes
from vigil._xgboost import watch

__all__ = ["Hook", "VigilCallback", "modes"]


class Hook(_hook_base.Handle, watch.Watch):
    """A callback for ``xgboost.train`` and for scikit-learn's estimators (``callbacks=[hook]``).

    dir: root of the runs (default ``vigil-runs``); out_dir is another name for
    it. name: the run's name. collections: names or dicts as ``collection``
    takes them. every: interval in rounds of what names none (default: what holds
    the budget). budget: most that capture may add to the time of a round, as a
    share (0.02) or text ("2%"). rules: "default", "all" or "none". save_all:
    keep every tensor's values.

    hyperparameters: numbers and texts to be saved besides the settings that the
    model itself tells. train_data, validation_data: the data that contributions
    (SHAP) and predictions are computed for, a DMatrix or (path, "csv" or
    "libsvm"); by default the training data, and the last of the ``evals`` that
    is not the training data.

    dir, name, every, budget, rules and save_all describe the run as a whole:
    under ``vigil run`` its flags decide, and these are ignored.
    """

    asked = True

    def __init__(self, dir=None, name=None, collections=(), every=None, budget=None, rules=None, save_all=False, out_dir=None,
                 hyperparameters=None, train_data=None, validation_data=None):  # fmt: skip
        super().__init__()
        self.hyperparameters = dict(hyperparameters or {})
        self._train = train_data
        self._validation = validation_data
        if _hook_base.off():
            return
        self._open(dir or out_dir, name, collections, every, budget, rules, save_all)

    @_guard.guard
    def _open(self, dir, name, collections, every, budget, rules, save_all):
        _hook_base.settings(every, budget, rules, save_all)
        from vigil import _xgboost

        self._tracker = _xgboost.install(start=True, dir=dir, name=name)
        self._collections(collections)

    def train_data(self):
        """The DMatrix that contributions are computed for, or None."""
        self._train = _matrix("train_data", self._train)
        return self._train

    def validation_data(self):
        """The DMatrix that predictions are made for, or None."""
        self._validation = _matrix("validation_data", self._validation)
        return self._validation

    # An estimator is copied and stored with its callbacks; the copy of a hook is a handle to the same tracker.

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return _revived, (self.hyperparameters,)


VigilCallback = Hook


def _revived(hyperparameters):
    """A hook that was stored, in whatever process reads it: the handle to what watches there, if anything does."""
    from vigil import _xgboost

    hook = Hook.__new__(Hook)
    watch.Watch.__init__(hook)
    hook.hyperparameters, hook._train, hook._validation = hyperparameters, None, None
    hook._tracker = _xgboost.current()
    return hook


def _matrix(what, data):
    """data as a DMatrix: it is one, or (path, "csv" or "libsvm")."""
    import xgboost

    if data is None or isinstance(data, xgboost.DMatrix):
        return data
    if isinstance(data, (tuple, list)) and len(data) == 2 and data[1] in ("csv", "libsvm"):
        return xgboost.DMatrix("%s?format=%s" % tuple(data))
    raise ValueError('read %s: %r is neither a DMatrix nor (path, "csv" or "libsvm")' % (what, data))
