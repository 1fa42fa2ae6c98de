"""The marks of a session (docs/protocol.md, section 4.3) in words."""

import struct

from vigil import _marks

PARTS = ("data", "to_device", "forward", "backward", "ranks", "optimizer", "checkpoint", "other")
MODES = ("train", "eval", "predict", "global")


def _words(numbers):
    """What marks say, in words: "data(", "data)", "train 3", "late eval 4", "loader 0"."""
    out, numbers, before = [], iter(numbers), 0
    for v in numbers:
        at, kind = v >> 8, v & 0xFF
        assert at >= before, "marks run backwards"
        before = at
        if kind < _marks.END:
            out.append(PARTS[kind] + "(")
        elif kind < _marks.STEP:
            out.append(PARTS[kind - _marks.END] + ")")
        elif kind < _marks.LOADER:
            out.append("%s%s %d" % ("late " if kind & _marks.LATE else "", MODES[kind & 3], next(numbers)))
            next(numbers)
        elif kind == _marks.LOADER:
            out.append("loader %d" % next(numbers))
            assert 0 <= next(numbers) <= at
        else:
            assert kind == _marks.UNKNOWN
            out.append("unknown")
    return out


def of(run):
    """The words of all marks of a session; none are missing, and the last ones say so."""
    numbers, expected = [], 0
    for i, (data, last) in enumerate(run.marks):
        assert last == (i == len(run.marks) - 1)
        head = struct.unpack_from("<3q", data)
        assert head[1] == expected, "marks are missing"
        expected += len(data) // 8 - 3
        numbers += struct.unpack("<%dq" % (len(data) // 8), data)[3:]
    return _words(numbers)
