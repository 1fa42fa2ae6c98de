"""How the compiler of PyTorch stands (torch.compile): it counts itself what it compiles, and how long that takes.

What it noted is read where the script has loaded it, and nothing is replaced.
Names differ between releases of PyTorch; where one is missing, its number is.
"""

import collections
import os
import sys
import time

from vigil import _guard
from vigil._torch import call_places

FIRST = 20  # updates of the process before it is told: in the first ones every training compiles
SECONDS = 5.0  # from one time to the next
REASON = 300  # characters of the reason that are told

# Under these names the compiler notes the seconds of each compilation: of a function, in PyTorch 2.0, up to 2.4 and later.
_FUNCTIONS = ("_compile", "_compile.<locals>.compile_inner", "_compile.compile_inner")
# And of a backward pass that is compiled when it first runs.
_BACKWARDS = ("backward._backward_impl",)

_seconds = time.perf_counter


class Compiler(object):
    """Sums of what the compiler noted in this process."""

    def __init__(self):
        self.compilations = 0
        self.seconds = 0.0
        self.read = {}  # name -> (a list of the compiler, how many of its numbers are in the sums)
        self.places = collections.Counter()  # (file, line, function) of what was compiled since it was last told
        self.reason = ""  # of the last time that something was compiled again
        self.session = None  # that was told
        self.began = 0  # updates that were over when the session was first met
        self.told = 0  # compilations of which it knows
        self.at = 0.0  # when it was told

    @_guard.guard
    def tell(self, session, last):
        """Tell a session how the compiler stands, now and then, if something was compiled."""
        utils = sys.modules.get("torch._dynamo.utils")
        if utils is None:
            return
        self._take(utils)
        steps = session.train_steps()
        if session is not self.session:
            self.session, self.began, self.told, self.at = session, steps, 0, 0.0
        now = _seconds()
        if self.compilations == self.told or steps - self.began < FIRST or (now - self.at < SECONDS and not last):
            return
        self.told, self.at = self.compilations, now
        session.compiler(self._facts(utils, steps))

    def _take(self, utils):
        """Add what the compiler noted since the last look."""
        noted = getattr(utils, "compilation_time_metrics", None) or {}
        compilations = 0
        for names in (_FUNCTIONS, _BACKWARDS):
            for name in names:
                times = noted.get(name)
                if times is None:
                    continue
                known, n = self.read.get(name, (None, 0))
                if times is not known:
                    n = 0  # torch._dynamo.reset() has thrown the list away
                new = times[n:]
                if new:
                    self.read[name] = times, n + len(new)
                    self.seconds += sum(new)
                    compilations += len(new) if names is _FUNCTIONS else 0
        if compilations:
            self.compilations += compilations
            self._place(utils, compilations)

    def _place(self, utils, n):
        """Note what the last n compilations were of, where the compiler keeps that."""
        kept = getattr(utils, "_compilation_metrics", None)
        if kept is None or not call_places.wanted():
            return
        for one in list(kept.copy())[-n:]:
            file, line, name = (getattr(one, key, None) for key in ("co_filename", "co_firstlineno", "co_name"))
            if file:
                self.places[file if file.startswith("<") else os.path.abspath(file), line or 0, name or ""] += 1
            self.reason = getattr(one, "recompile_reason", None) or self.reason

    def _facts(self, utils, steps):
        breaks = (getattr(utils, "counters", None) or {}).get("graph_break") or {}
        facts = {"steps": steps, "compilations": self.compilations, "seconds": round(self.seconds, 6), "graph_breaks": sum(breaks.values())}
        if self.places:
            ((place, _),) = self.places.most_common(1)
            facts.update(zip(("file", "line", "function"), place))
            self.places.clear()
        if self.reason:
            facts["reason"] = str(self.reason).strip().split("\n")[0][:REASON]
        return facts
