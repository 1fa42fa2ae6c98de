"""Arrays into the ring."""

import time

import numpy

from vigil import _schedule, _strings, _wire

_NAMES = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "uint16": "U16", "int16": "I16", "uint32": "U32", "int32": "I32", "uint64": "U64",
    "int64": "I64", "float16": "F16", "float32": "F32", "float64": "F64", "complex64": "C64", "complex128": "C128",
}  # fmt: skip


def dtype(array):
    """The safetensors name of an array's element type, or None when it has none."""
    return _NAMES.get(array.dtype.name)


def array(value):
    """value as an array on the host."""
    for name in ("detach", "cpu", "get"):  # of PyTorch, and of CuPy
        step = getattr(value, name, None)
        if callable(step) and not isinstance(value, (numpy.ndarray, dict)):
            value = step()
    return numpy.asarray(value)


def info(name, array, kind):
    """How an array is announced."""
    return {"name": name, "kind": kind, "dtype": dtype(array), "shape": list(array.shape)}


def send(session, id, array, shape_id, at, force_raw=False, between=False):
    """Publish one array; at is (step, mode, mode step)."""
    array = numpy.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
    data = memoryview(array.reshape(-1).view(numpy.uint8)) if array.size else b""

    def copy(offset, start, n):
        session.buffer[offset : offset + n] = data[start : start + n]

    session.whole(id, _wire.DTYPES[dtype(array)], shape_id, array.nbytes, copy, at[0], at[1], at[2], force_raw, between)


def wait_for_room(session):
    """Wait a little for the first plan: before it there is no room."""
    end = time.monotonic() + _schedule.FIRST_PLAN_S
    while session.alive and not session.plan.use and session._next_plan is None and time.monotonic() < end:
        time.sleep(0.001)
    if not session.plan.use:
        session.new_plan()


def save(session, known, name, value, collections, at, between=False):
    """Publish what a script gives under a name; what is no array is reported as missing.

    known: by name (id, shape) of what was saved before. at: (step, mode, mode step). between: of a step that has closed.
    """
    strings = _strings.of(value)
    if strings is not None:
        session.joins(name, collections)
        ready = _strings.prepare(session, known, name, strings)
        if ready is not None:
            wait_for_room(session)
            _strings.send(session, *ready, at, force_raw=True, between=between)
        return
    if ("strings", name) in known:
        session.missing([(name, "numbers under the name of strings", 1)])
        return
    try:
        data = array(value)
    except Exception:
        session.not_taken(name, value, "saved value of type %s is not a tensor")
        return
    if dtype(data) is None:
        session.missing([(name, "element type %s" % data.dtype, 1)])
        return
    session.joins(name, collections)
    if name not in known:
        known[name] = (session.announce_tensors([info(name, data, "custom")])[0], data.shape)
    id, shape = known[name]
    if id is None:
        return
    wait_for_room(session)
    send(session, id, data, 0 if shape == data.shape else session.shape_id(data.shape), at, force_raw=True, between=between)
