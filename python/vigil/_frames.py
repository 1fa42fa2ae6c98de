"""Frames between the Go program and Python: the steps of a run in one direction, questions in the other.

A frame is its length (4 bytes, little-endian), one byte that says what it is,
and the rest. What these are is written in internal/rules/feed.
"""

import json
import os
import struct

CONFIG = b"C"  # what to run: JSON
NAMES = b"A"  # what tensors are: JSON list
STEP = b"S"  # a complete step: length of a JSON header, header, float64 values
PASS = b"P"  # the feeder has handed over all that is there for now
END = b"E"  # the job has ended: JSON
HELLO = b"H"  # the rule is ready: JSON
DONE = b"D"  # a step was judged: JSON
FAILED = b"X"  # the rule cannot go on: JSON
BYE = b"B"  # the rule has come to its end: JSON
ASK = b"R"  # a question for values: JSON
VALUES = b"V"  # the answer: length of a JSON header, header, bytes
NONE = b"N"  # the answer that there are none: JSON

MOST = 1 << 31


class Closed(Exception):
    """The other side is gone."""


def read(fd):
    """The next frame as (kind, payload); Closed when there is none."""
    (length,) = struct.unpack("<I", _exactly(fd, 4))
    if not 1 <= length <= MOST:
        raise Closed("a frame of %d bytes" % length)
    data = _exactly(fd, length)
    return data[:1], memoryview(data)[1:]


def _exactly(fd, n):
    parts = []
    while n > 0:
        part = os.read(fd, min(n, 1 << 20))
        if not part:
            raise Closed("end of data")
        parts.append(part)
        n -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def write(fd, kind, value):
    """Send a frame with a value as JSON."""
    body = json.dumps(value, allow_nan=True, separators=(",", ":")).encode("utf-8", "surrogatepass")
    data = memoryview(struct.pack("<I", len(body) + 1) + kind + body)
    while data:
        data = data[os.write(fd, data) :]


def split(payload):
    """(header, rest) of a frame that begins with a JSON header."""
    (n,) = struct.unpack_from("<I", payload)
    return json.loads(bytes(payload[4 : 4 + n])), payload[4 + n :]


def array(kind, payload):
    """The numpy array of an answer; None when it says that there is none."""
    import numpy

    if kind == NONE:
        return None
    header, data = split(payload)
    return numpy.frombuffer(data, dtype=numpy.dtype(header["dtype"])).reshape(header["shape"]).copy()
