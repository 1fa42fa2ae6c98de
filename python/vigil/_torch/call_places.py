"""Where in the script the calls come from that the hook sees anyway: file and line, for people to find the place.

Nothing but file names and line numbers of the stack is read, and nothing is judged by them.
"""

import os
import sys
import sysconfig

import torch

import vigil
from vigil import _guard

MOST = 20  # places of a training
_DEEP = 60  # frames that are gone through
_OURS = os.path.dirname(os.path.abspath(vigil.__file__)) + os.sep
_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
# Where code lies that is no script's own: libraries, and the frames that start a script.
_LIBRARIES = tuple({os.path.join(p, "") for p in map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")) if p})


def wanted():
    return os.environ.get("VIGIL_SOURCE", "").lower() not in ("0", "false", "no", "off")


class Calls(object):
    """The first place of each kind of call."""

    def __init__(self):
        self.found = {}  # (kind, name) -> (file, line), None where the script's own code did not call

    @_guard.guard
    def take(self, kind, name=""):
        """Note who makes the present call. kind: what is called; name: of which class."""
        if (kind, name) not in self.found and len(self.found) < MOST:
            self.found[kind, name] = place() if wanted() else None

    def gather(self):
        """CallFacts without their place, or None."""
        calls = [dict({"name": name} if name else {}, kind=kind, file=at[0], line=at[1]) for (kind, name), at in self.found.items() if at]
        return {"list": calls} if calls and wanted() else None  # a hook knows its agent's configuration after its first calls


def place():
    """(file, line) of the script that called into PyTorch or Vigil; None where a library did."""
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
    if name.startswith("<") or name.startswith(_LIBRARIES) or "site-packages" in name:
        return None
    return os.path.abspath(name), frame.f_lineno
