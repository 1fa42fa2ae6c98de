"""What functions of torch.nn.functional return, watched for a while and without a lasting change.

From Python 3.12 on the interpreter tells it (sys.monitoring): events of the
functions' own code, so that it does not matter under which name a script calls
them. What a call was given is read from the function's own frame, which is
PyTorch's; no frame of the script is read. Before 3.12, and where other tools
have taken all numbers for tools, the functions have code of ours for that while.
A script may have looked a function up before its model is called, as in
``F.mse_loss(model(x), y)``: so the code is replaced, and not the function.
"""

import sys
import threading
import types

import torch

from vigil import _guard
from vigil._torch import compat

F = torch.nn.functional
_monitoring = getattr(sys, "monitoring", None)
_TOOLS = (4, 3)  # numbers that Python gives no purpose
_NAME = "vigil"
_thread = threading.get_ident


class Events(object):
    """The interpreter's events. gave(name, given, caller, value): name of the function, its arguments, the frame that called it, what it returns."""

    def __init__(self, functions, gave):
        self.codes = {name: f.__code__ for name, f in functions.items()}
        self.gave = gave
        self.tool = None
        self.on = ()

    def begins(self, names):
        """Watches these functions; returns whether that is possible."""
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
            self.gave(code.co_name, frame, frame.f_back, value)
        except Exception as error:
            _guard.failed("function_watch.Events", error)

    @staticmethod
    def given(frame):
        """The arguments of a function of PyTorch's, by name: what its own frame holds."""
        return frame.f_locals if frame.f_code.co_filename == F.__file__ else {}


def _stand_in(*args, **kwargs):
    gave = "vigil"  # call, below
    return gave(args, kwargs)


class Codes(object):
    """Code of ours in the functions; the functions themselves stay. gave: as of Events, of the thread that began."""

    def __init__(self, functions, gave):
        self.functions = functions
        self.gave = gave
        self.made = {}  # name -> (the code of the function, ours)
        self.on = []  # names of those that have ours
        self.thread = None

    def begins(self, names):
        """Watches these functions; returns whether that is possible. What is compiled would have ours in it."""
        if compat.compiler_used:
            return False
        self.thread = _thread()
        compat.before_compiler.append(self.ends)
        for name in names:
            function = self.functions[name]
            code, ours = self.made.get(name, (None, None))
            if code is not function.__code__:
                code, ours = self.made[name] = function.__code__, self._telling(name, function)
            function.__code__ = ours
            self.on.append(name)
        return True

    def ends(self):
        """The functions are as they were, but for those that somebody else has changed since."""
        on, self.on = self.on, []
        if self.ends in compat.before_compiler:
            compat.before_compiler.remove(self.ends)
        for name in on:
            function, (code, ours) = self.functions[name], self.made[name]
            if function.__code__ is ours:
                function.__code__ = code

    def _telling(self, name, function):
        """Code that calls what the function was, and tells of it."""
        code = function.__code__
        original = types.FunctionType(code, function.__globals__, name, function.__defaults__)
        original.__kwdefaults__ = function.__kwdefaults__

        def call(args, kwargs):
            value = original(*args, **kwargs)
            if not _guard.inert and _thread() == self.thread:
                try:
                    self.gave(name, (code, args, kwargs), sys._getframe(2), value)
                except Exception as error:
                    _guard.failed("function_watch.Codes", error)
            return value

        ours = _stand_in.__code__
        consts = tuple(call if one == "vigil" else one for one in ours.co_consts)
        return ours.replace(co_consts=consts, co_name=name, co_filename=code.co_filename, co_firstlineno=code.co_firstlineno)

    @staticmethod
    def given(call):
        """The arguments of a call by name, without those that were left out."""
        code, args, kwargs = call
        given = dict(zip(code.co_varnames, args))
        given.update(kwargs)
        return given


def watches(functions, gave):
    """The ways to watch these functions, the best first."""
    return ([Events(functions, gave)] if _monitoring is not None else []) + [Codes(functions, gave)]
