"""The variables of a function that runs, read without a trace.

Before Python 3.13 the first look at ``frame.f_locals`` of a function makes a
dict that stays until the function ends: it would keep the tensors of an early
step alive, and it is the very dict that ``locals()`` gives the script, in which
new entries would appear.
"""

import sys

_OPTIMIZED = 1  # of code.co_flags: a function, whose variables lie in no dict
_PROXY = sys.version_info >= (3, 13)
_TAKES_THE_DICT = frozenset(("locals", "vars", "dir", "eval", "exec"))

_get = None  # PyFrame_GetVar; False: there is none


def variables(frame):
    """{name: value} of a frame of the script, of a module or of a function; {} where a look would leave a trace."""
    code = frame.f_code
    if _PROXY or not code.co_flags & _OPTIMIZED:
        return dict(frame.f_locals)
    names = code.co_varnames + code.co_cellvars + code.co_freevars
    get = _getter()
    if get:
        out = {}
        for name in names:
            try:
                out[name] = get(frame, name)
            except NameError:
                pass  # it has no value yet
        return out
    if sys.gettrace() is not None or frame.f_trace is not None or not _TAKES_THE_DICT.isdisjoint(code.co_names):
        return {}
    made = frame.f_locals
    out = dict(made)
    made.clear()  # nobody else has it, and it is made anew for who asks
    return out


def _getter():
    """What reads one variable of a frame, from Python 3.12 on."""
    global _get
    if _get is None:
        _get = False
        try:
            import ctypes

            found = ctypes.pythonapi.PyFrame_GetVar
            found.argtypes, found.restype = (ctypes.py_object, ctypes.py_object), ctypes.py_object
            _get = found
        except (ImportError, AttributeError):
            pass
    return _get
