"""Which settings a script gave to a model, and which of them no part of it knows.

XGBoost takes every name (``Booster.set_param``) and says of unknown ones in a warning that they
are "not used", which many scripts silence. What it compares can be read: the names that were
given, and those of its own configuration.
"""

import functools
import json
import weakref

import xgboost

from vigil import _guard

MOST = 100  # names
LONGEST = 200  # characters of a value
_PART = "_param"  # ends the key of each part of a configuration that takes settings
_BESIDES = frozenset(("eval_metric", "num_output_group"))  # known, and in no part

_given = weakref.WeakKeyDictionary()  # Booster -> {name: value}; nothing of ours is in a model, which may be stored


def install():
    """Note what every model is given."""
    original = xgboost.Booster.set_param

    @functools.wraps(original)
    def set_param(self, params, value=None):
        # An iterator can be read only once.
        if not isinstance(params, str) and not hasattr(params, "items"):
            params = list(params)
        original(self, params, value)
        _note(self, params, value)

    xgboost.Booster.set_param = set_param


@_guard.guard
def _note(model, params, value):
    pairs = [(params, value)] if isinstance(params, str) else params.items() if hasattr(params, "items") else params
    _given.setdefault(model, {}).update((str(k), v) for k, v in pairs if v is not None)


def unused(model):
    """{name: value as text} of what was given and is not used, as XGBoost finds it out itself."""
    given = _given.get(model)
    if not given:
        return {}
    try:
        known = _known(json.loads(model.save_config()).get("learner") or {}) | _BESIDES | set(xgboost.get_config())
    except Exception:
        return {}
    return {k: str(given[k])[:LONGEST] for k in sorted(set(given) - known)[:MOST]}


def _known(config):
    """The names of all settings in a configuration."""
    names, parts = set(), [config]
    while parts:
        part = parts.pop()
        for key, value in part.items() if isinstance(part, dict) else [("", v) for v in part]:
            if not isinstance(value, (dict, list)):
                continue
            if key.endswith(_PART) and isinstance(value, dict):
                names.update(value)
            else:
                parts.append(value)
    return names
