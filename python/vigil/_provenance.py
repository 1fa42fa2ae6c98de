"""What only the training process knows of what a run is made of: its Python, where its packages are, and what the script says of itself."""

import os
import platform
import re
import sys

from vigil import _guard, _wire

SECRET = re.compile("key|token|secret|password|passwd", re.IGNORECASE)
HIDDEN = "***"
MOST_ENTRIES, MOST_TEXT, DEEPEST = 5000, 1000, 8
MOST_BYTES = 256 << 10  # that an agent takes

_config = {}  # what vigil.config was given so far


def of_python():
    """The Python of this process, as a message has it."""
    fields = {
        "python": {"version": platform.python_version(), "implementation": platform.python_implementation(), "executable": sys.executable or ""},
        "path": [os.path.abspath(p) for p in sys.path if isinstance(p, str)],
    }
    if _config:
        fields["config"] = _config
    return fields


@_guard.guard
def config(values):
    """See vigil.config. All that it was given so far; None when nothing is to be stored."""
    if _guard.inert or os.environ.get("VIGIL") == "0":
        return None
    plain = _Plain().mapping(values, DEEPEST)
    if plain is None:
        raise TypeError("vigil.config takes a dict, or an object with attributes, and got %s" % type(values).__name__)
    grown = dict(_config)
    grown.update(plain)
    if len(_wire.dumps(grown)) > MOST_BYTES:
        raise ValueError("vigil.config got more than %d KiB; the excess is left out" % (MOST_BYTES >> 10))
    _config.update(grown)
    return dict(_config)


class _Plain(object):
    """Makes what JSON knows of what a script gives, in bounds. It changes nothing and keeps nothing of it."""

    def __init__(self):
        self.left = MOST_ENTRIES

    def mapping(self, value, depth):
        """A dict of a dict or of an object's attributes; None when it is neither."""
        if not hasattr(value, "items"):
            try:
                value = vars(value)
            except TypeError:
                return None
        plain = {}
        for name, inner in value.items():
            self.left -= 1
            if self.left < 0:
                break
            name = str(name)[:MOST_TEXT]
            plain[name] = HIDDEN if SECRET.search(name) else self.value(inner, depth - 1)
        return plain

    def value(self, value, depth):
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return int(value) if abs(value) < 1 << 63 else str(int(value))[:MOST_TEXT]
        if isinstance(value, float):
            value = float(value)
            return value if abs(value) < float("inf") else str(value)  # JSON has no NaN
        if isinstance(value, str):
            return str(value)[:MOST_TEXT]
        if depth > 0:
            if hasattr(value, "items"):
                return self.mapping(value, depth)
            if isinstance(value, (list, tuple, set, frozenset)):
                out = []
                for inner in value:
                    self.left -= 1
                    if self.left < 0:
                        break
                    out.append(self.value(inner, depth - 1))
                return out
        return self.other(value, depth)

    def other(self, value, depth):
        """A number that is no Python number (NumPy's, a tensor's), the fields of a dataclass, or the text of anything else."""
        if getattr(value, "shape", None) == () and callable(getattr(value, "item", None)):
            inner = value.item()
            if isinstance(inner, (bool, int, float, str)):
                return self.value(inner, 0)
        if depth > 0 and hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
            return self.mapping({name: getattr(value, name, None) for name in value.__dataclass_fields__}, depth)
        if isinstance(value, type) or callable(value):
            return getattr(value, "__qualname__", None) or type(value).__name__
        return str(value)[:MOST_TEXT]
