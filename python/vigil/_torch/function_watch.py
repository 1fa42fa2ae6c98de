"""Being told what functions of torch.nn.functional return, for a while and without a lasting change.

From Python 3.12 on the interpreter tells it (sys.monitoring): events of the
functions' own code, so that it does not matter under which name a script calls
them. What a call was given is read from the function's own frame, which is
PyTorch's; no frame of the script is read. Before 3.12, and where other tools
have taken all numbers for tools, the functions are replaced for that while; a
script that took a function out of the module before then is not seen calling it.
"""

import functools
import sys
import threading

import torch

from vigil import _guard
from vigil._torch import compat

F = torch.nn.functional
_monitoring = getattr(sys, "monitoring", None)
_TOOLS = (4, 3)  # numbers that Python gives no purpose
_NAME = "vigil"
_thread = threading.get_ident


class Events(object):
    """The interpreter's events. told(name, given, caller, value): name of the function, its arguments, the frame that called it, what it returns."""

    def __init__(self, functions, told):
        self.codes = {name: f.__code__ for name, f in functions.items()}
        self.told = told
        self.tool = None
        self.on = ()

    def begins(self, names):
        """Be told of these functions; whether that is possible."""
        for tool in _TOOLS:
            try:
                _monitoring.use_tool_id(tool, _NAME)
            except ValueError:
                continue  # another tool has it
            self.tool, self.on = tool, [self.codes[name] for name in names]
            event = _monitoring.events.PY_RETURN
            _monitoring.register_callback(tool, event, self._returns)
            for code in self.on:
                _monitoring.set_local_events(tool, code, event)
            return True
        return False

    def ends(self):
        tool, self.tool = self.tool, None
        if tool is None:
            return
        for code in self.on:
            _monitoring.set_local_events(tool, code, 0)
        _monitoring.register_callback(tool, _monitoring.events.PY_RETURN, None)
        _monitoring.free_tool_id(tool)

    def _returns(self, code, at, value):
        if _guard.inert:
            return
        try:
            frame = sys._getframe(1)
            self.told(code.co_name, frame, frame.f_back, value)
        except Exception as error:
            _guard.failed("function_watch.Events", error)

    @staticmethod
    def given(frame):
        """The arguments of a function of PyTorch's, by name: what its own frame holds."""
        return frame.f_locals if frame.f_code.co_filename == F.__file__ else {}


class Replacements(object):
    """Functions in the places of PyTorch's. told: as of Events; only of the thread that began."""

    def __init__(self, functions, told):
        self.functions = functions
        self.told = told
        self.ours = {}  # name -> the function in its place
        self.thread = None

    def begins(self, names):
        """Be told of these functions; whether that is possible. What is compiled would have ours in it."""
        if compat.compiler_used:
            return False
        self.thread = _thread()
        for name in names:
            original = self.functions[name]
            if getattr(F, name) is original:
                self.ours[name] = self._telling(name, original)
                setattr(F, name, self.ours[name])
        compat.before_compiler.append(self.ends)
        return True

    def ends(self):
        """The functions are as they were, but for those that somebody else has replaced since."""
        ours, self.ours = self.ours, {}
        if self.ends in compat.before_compiler:
            compat.before_compiler.remove(self.ends)
        for name, function in ours.items():
            if getattr(F, name) is function:
                setattr(F, name, self.functions[name])

    def _telling(self, name, original):
        @functools.wraps(original)
        def function(*args, **kwargs):
            if _thread() != self.thread or self.ours.get(name) is not function or getattr(F, name) is not function:
                return original(*args, **kwargs)
            setattr(F, name, original)  # PyTorch looks it up there itself
            try:
                value = original(*args, **kwargs)
            finally:
                if self.ours.get(name) is function:
                    setattr(F, name, function)
            self._returns(name, (args, kwargs), sys._getframe(1), value)
            return value

        return function

    def _returns(self, name, given, caller, value):
        if _guard.inert:
            return
        try:
            self.told(name, (self.functions[name].__code__, given), caller, value)
        except Exception as error:
            _guard.failed("function_watch.Replacements", error)

    @staticmethod
    def given(call):
        """The arguments of a call by name, without those that were left out."""
        code, (args, kwargs) = call
        given = dict(zip(code.co_varnames, args))
        given.update(kwargs)
        return given


def watches(functions, told):
    """The ways to watch these functions, the best first."""
    return ([Events(functions, told)] if _monitoring is not None else []) + [Replacements(functions, told)]
