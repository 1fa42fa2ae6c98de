"""Where in the script the calls come from that the hook sees anyway: file, line and columns, for people to find the place.

Nothing but file names and positions of the stack is read, and nothing is judged by them.
"""

import itertools
import os
import sys

import torch

import vigil
from vigil import _guard

MOST = 30  # places of a training
COMPARED = 16  # calls of a kind whose places are compared with that of the first
# Layers that are often one too many at the end of a model, or whose one argument is often missing: where they become part of a model.
LAYERS = frozenset(getattr(torch.nn, name) for name in ("Dropout", "GRU", "LogSoftmax", "LSTM", "MultiheadAttention", "RNN", "Sigmoid", "Softmax"))
_DEEP = 60  # frames that are gone through
_OURS = os.path.dirname(os.path.abspath(vigil.__file__)) + os.sep
_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
# Where code lies that is no script's own: Python's library, and what is installed.
_LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_INSTALLED = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)


def wanted():
    return os.environ.get("VIGIL_SOURCE", "").lower() not in ("0", "false", "no", "off")


class Place(object):
    """A place that calls come from: that of the first of them."""

    def __init__(self, frame):
        self.key = _key(frame)
        self.facts = dict(file=os.path.abspath(self.key[0]), line=self.key[1], **_span(frame))
        self.times = 1
        self.elsewhere = False

    def again(self):
        """There is another call. Whether it comes from here is noted; the first calls are enough for that."""
        if self.times < COMPARED:
            self.times += 1
            frame = _frame()
            self.elsewhere = self.elsewhere or frame is None or _key(frame) != self.key

    def gather(self):
        """What a record.Call has of it."""
        return dict(self.facts, times=self.times, **({"elsewhere": True} if self.elsewhere else {}))


class Calls(object):
    """The first place of each kind of call."""

    def __init__(self):
        self.found = {}  # (kind, name) -> Place, None where the script's own code did not call

    @_guard.guard
    def take(self, kind, name=""):
        """Note who makes the present call. kind: what is called; name: of which class."""
        if (kind, name) not in self.found:
            if len(self.found) < MOST:
                self.found[kind, name] = here() if wanted() else None
        elif self.found[kind, name] is not None:
            self.found[kind, name].again()

    def put(self, kind, name, place):
        """Note a place that was taken before: that of the only call that counts."""
        if len(self.found) < MOST:
            self.found[kind, name] = place

    def gather(self):
        """CallFacts without their place, or None."""
        calls = [dict({"name": name} if name else {}, kind=kind, **at.gather()) for (kind, name), at in self.found.items() if at]
        return {"list": calls} if calls and wanted() else None  # a hook knows its agent's configuration after its first calls


def here():
    """The Place in the script that called into PyTorch or Vigil; None where a library did."""
    frame = _frame()
    return Place(frame) if frame is not None else None


def by_library():
    """Whether it was not the script's own code that called into PyTorch or Vigil."""
    return _frame() is None


def of_torch(code):
    """Whether code is PyTorch's own."""
    return code.co_filename.startswith(_TORCH)


def _frame():
    """The frame of the script that called into PyTorch or Vigil; None where a library did."""
    frame = sys._getframe(1)
    for _ in range(_DEEP):
        if frame is None:
            return None
        name = frame.f_code.co_filename
        if not name.startswith((_OURS, _TORCH)):
            break
        frame = frame.f_back
    else:
        return None
    if name.startswith(("<", _LIBRARY)) or any(part in name for part in _INSTALLED):
        return None
    return frame


def _key(frame):
    return frame.f_code.co_filename, frame.f_lineno


def _span(frame):
    """Where the expression ends that the frame is at, and its columns in bytes: {} where Python does not tell them (before 3.11)."""
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is None:
        return {}
    line, end, column, last = next(itertools.islice(positions(), frame.f_lasti // 2, None), (None,) * 4)
    return {"end_line": end, "column": column, "end_column": last} if line == frame.f_lineno and None not in (end, column, last) else {}
