"""Strings as tensors: tokens, names of files, labels in words.

They travel as bytes: a JSON object with the shape and the strings in row-major
order, filled up with spaces to a power of two, so that few lengths occur.
"""

import json

from vigil import _wire

MOST = 65536  # strings of one value
LONGEST = 4096  # characters of one; longer ones are cut
MOST_BYTES = 1 << 20
_DEPTH = 8


def of(value):
    """(shape, strings) of a string or an array or nested list of strings, at most one more than MOST of them; None for what is something else."""
    if isinstance(value, str):
        return (), [value]
    if isinstance(value, (list, tuple)):
        strings = []
        shape = _walk(value, strings, 0)
        return None if shape is None else (shape, strings)
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if kind in ("U", "S", "O") and hasattr(value, "reshape") and hasattr(value, "shape"):
        flat = value.reshape(-1)[: MOST + 1].tolist()
        if flat and all(isinstance(one, (str, bytes)) for one in flat):
            return tuple(int(n) for n in value.shape), [one if isinstance(one, str) else one.decode("utf-8", "replace") for one in flat]
        if not flat and kind != "O":
            return tuple(int(n) for n in value.shape), []
    return None


def _walk(value, strings, depth):
    """The shape of a nested list of strings, which are added to strings; None when it holds anything else or its rows differ."""
    if not value or depth > _DEPTH:
        return None
    first = value[0]
    if isinstance(first, str):
        for one in value:
            if not isinstance(one, str):
                return None
            if len(strings) <= MOST:
                strings.append(one)
        return (len(value),)
    if not isinstance(first, (list, tuple)):
        return None
    shape = None
    for row in value:
        if not isinstance(row, (list, tuple)):
            return None
        own = _walk(row, strings, depth + 1)
        if own is None or shape not in (None, own):
            return None
        shape = own
    return (len(value),) + shape


def found(value, depth=0):
    """The lists of strings in what a module is called with, in order; single strings are settings and do not count."""
    if depth > _DEPTH or value is None or isinstance(value, (str, bytes, int, float)):
        return
    if isinstance(value, dict) or (hasattr(value, "keys") and hasattr(value, "__getitem__")):
        for key in list(value.keys()):
            for one in found(value[key], depth + 1):
                yield one
    elif isinstance(value, (list, tuple)):
        strings = of(value)
        if strings is not None:
            yield strings
            return
        if value and isinstance(value[0], (int, float)):
            return
        for item in value:
            for one in found(item, depth + 1):
                yield one
    elif getattr(getattr(value, "dtype", None), "kind", None) in ("U", "S", "O"):
        strings = of(value)
        if strings is not None:
            yield strings


def encode(shape, strings):
    """The bytes that stand for strings; None when there are too many of them."""
    if len(strings) > MOST:
        return None
    cut = [one if len(one) <= LONGEST else one[: LONGEST - 1] + "\u2026" for one in strings]
    data = json.dumps({"shape": list(shape), "strings": cut}, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    if len(data) > MOST_BYTES:
        return None
    size = 64
    while size < len(data):
        size *= 2
    return data.ljust(size)


def decode(data):
    """The numpy array of strings that bytes stand for."""
    import numpy

    value = json.loads(bytes(data).decode("utf-8"))
    strings = value["strings"]
    # An array of fixed width loses characters 0 at the end.
    kind = object if not strings or any(one.endswith("\0") for one in strings) else str
    return numpy.array(strings, dtype=kind).reshape(value["shape"])


def info(name, kind, data):
    """How strings are announced."""
    return {"name": name, "kind": kind, "dtype": "U8", "shape": [len(data)], "strings": True}


def send(session, id, data, shape_id, at, force_raw=False, between=False):
    """Publish what encode gave; at is (step, mode, mode step)."""

    def copy(offset, start, n):
        session.buffer[offset : offset + n] = data[start : start + n]

    session.whole(id, _wire.DTYPES["U8"], shape_id, len(data), copy, at[0], at[1], at[2], force_raw, between)


def prepare(session, known, name, value):
    """(id, bytes, shape id) of strings that a script saves, None when they cannot be kept, which is said.

    known: by name (id, shape), None for the shape of numbers. value: what ``of`` gave.
    """
    data = encode(*value)
    if data is None:
        session.missing([(name, "more than %d strings or %d bytes in one value" % (MOST, MOST_BYTES), 1)])
        return None
    key = ("strings", name)
    if key not in known:
        if name in known:
            session.missing([(name, "strings under the name of numbers", 1)])
            return None
        known[key] = (session.announce_tensors([info(name, "custom", data)])[0], (len(data),))
    id, shape = known[key]
    if id is None:
        return None
    return id, data, 0 if shape == (len(data),) else session.shape_id((len(data),))
