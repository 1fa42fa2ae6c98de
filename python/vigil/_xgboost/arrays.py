"""Arrays into the ring."""

import numpy

from vigil import _wire

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
