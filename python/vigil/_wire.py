"""The words and records of docs/protocol.md, encoded and decoded."""

import json
import struct

VERSION = 1
MAX_MESSAGE = 64 << 20
PLAN = b'{"t":"plan"'  # how the agent begins a plan

# Kinds of records.
SCALAR, TENSOR, FRAME, PIECE, STEP, DROP, SCALARS, REDUCED, FILL, MARKS = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10

# Flags. Their meaning depends on the kind of the record.
FREE = 1  # SCALAR: does not belong to a step the hook counts
BETWEEN = 4  # TENSOR, PIECE: given between steps; belongs to one that has closed
RAW = 1  # TENSOR: raw wanted by the script
PARTIAL = 1  # FRAME: not all are there
LAST = 1  # PIECE: the last one
PIECE_RAW = 2  # PIECE: raw wanted by the script
SKIPPED = 1  # STEP: the update was skipped
FINAL = 1  # MARKS: the hook closes, there are no more

# Modes.
TRAIN, EVAL, PREDICT, GLOBAL = 0, 1, 2, 3
MODES = ("TRAIN", "EVAL", "PREDICT", "GLOBAL")

# Reasons of drops.
FULL, BREAKER, TOO_LARGE, ERROR = 1, 2, 3, 4
REASONS = {FULL: "ring_full", BREAKER: "breaker_open", TOO_LARGE: "too_large", ERROR: "hook_error"}

# Element types by the names safetensors gives them.
DTYPES = {
    "BOOL": 1, "U8": 2, "I8": 3, "U16": 4, "I16": 5, "U32": 6, "I32": 7, "U64": 8, "I64": 9,
    "F16": 10, "BF16": 11, "F32": 12, "F64": 13, "F8_E4M3": 14, "F8_E5M2": 15, "F8_E8M0": 16,
    "C64": 17, "C128": 18, "F8_E4M3FNUZ": 19, "F8_E5M2FNUZ": 20,
}  # fmt: skip

# kind, mode, dtype, flags, id, step, mode_step, offset, nbytes, value, time, shape, seq
RECORD = struct.Struct("<BBBBIqqQQdQII")
TWO_RECORDS = struct.Struct("<BBBBIqqQQdQIIBBBBIqqQQdQII")
MARKS_HEAD = struct.Struct("<qqq")  # wall-clock nanoseconds of the marks' zero, number of the first one, when a step ended just before it (or -1)
LENGTH = struct.Struct("<I")
RECORD_BYTES = 64

# The ring's header: what is read once, and words of 8 bytes by index.
MAGIC = b"VIGILRNG"
HEADER = struct.Struct("<8sIIQQQQ")
HEADER_BYTES = 4096
W_HEAD, W_DROPPED, W_ALIVE, W_ENDED, W_WANTED, W_BEGUN = 128 // 8, 136 // 8, 144 // 8, 152 // 8, 160 // 8, 168 // 8
W_CONSUMED, W_ACKED, W_SYNCED, W_PLAN, W_AGENT = 256 // 8, 264 // 8, 272 // 8, 280 // 8, 288 // 8
W_FILLED, W_UNFILLED = 296 // 8, 304 // 8

MAX_NAME = 8192
MAX_TENSORS = 1000000
MAX_SHAPES = 1000000


def dumps(message):
    """The JSON bytes of a message, without its length.

    NaN and infinities, which JSON cannot hold, become the strings "NaN", "Inf"
    and "-Inf"; what JSON does not know becomes its str().
    """
    try:
        text = json.dumps(message, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        text = json.dumps(_plain(message, 0), separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "replace")


def _plain(value, depth):
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if value != value:
            return "NaN"
        if value in (float("inf"), float("-inf")):
            return "Inf" if value > 0 else "-Inf"
        return value
    if depth < 20:
        if isinstance(value, dict):
            return {str(k): _plain(v, depth + 1) for k, v in value.items()}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [_plain(v, depth + 1) for v in value]
    return str(value)


def frame(body):
    """A message as it goes over the socket: length and bytes."""
    if len(body) > MAX_MESSAGE:
        raise ValueError("message of %d bytes is longer than %d" % (len(body), MAX_MESSAGE))
    return LENGTH.pack(len(body)) + body


def cut_name(name):
    """The name as it may be announced: at most 8192 bytes, a longer one ends in a hash of the whole.

    Returns (name, whether it was cut).
    """
    if len(name) <= MAX_NAME // 4:
        return name, False
    raw = name.encode("utf-8", "replace")
    if len(raw) <= MAX_NAME:
        return name, False
    import hashlib

    digest = hashlib.sha256(raw).hexdigest()[:16]
    return raw[: MAX_NAME - 17].decode("utf-8", "ignore") + "~" + digest, True
