"""The zero-line start: wait until a framework is imported, then install its hook.

``vigil run`` puts a directory with our sitecustomize on the PYTHONPATH, which
calls ``start``. Until a framework is imported nothing happens but one string
comparison per import.
"""

import os
import sys
import time

from vigil import _guard, _stacks

took_ns = 0  # nanoseconds that the hooks took to be imported and installed

# Framework -> module with an install() function.
HOOKS = {"torch": "vigil._torch", "xgboost": "vigil._xgboost"}

_installed = set()
_lacking = set()


@_guard.guard
def start():
    """Wait for the frameworks; called once per interpreter."""
    if any(isinstance(f, Finder) for f in sys.meta_path):
        return
    _stacks.register()
    for name in HOOKS:
        module = sys.modules.get(name)
        if module is not None:
            _install(name)
    if len(_installed) < len(HOOKS):
        sys.meta_path.insert(0, Finder())


@_guard.guard
def _install(name):
    """The framework is there: install its hook, once."""
    if name in _installed:
        return
    global took_ns
    began = time.perf_counter_ns()
    _installed.add(name)
    _mark()
    _compile()
    import importlib

    importlib.import_module(HOOKS[name]).install()
    from vigil import _worker_windows

    _worker_windows.watch_children()
    took_ns += time.perf_counter_ns() - began


@_guard.guard
def _compile():
    """Write the bytecode of the launcher's copy of this package where Python is told not to write any, as in many containers.

    Without it each process that trains compiles all of it again, which takes a
    fifth of a second. The copy is the launcher's own, in the user's cache;
    nothing is written elsewhere.
    """
    here = os.path.dirname(os.path.realpath(__file__))
    launcher = os.path.dirname(os.path.dirname(here))
    if not sys.dont_write_bytecode or sys.pycache_prefix or os.path.join(launcher, "boot") not in getattr(sys, "_vigil_boots", ()):
        return
    from importlib.util import cache_from_source

    for folder, _, names in os.walk(here):
        sources = [os.path.join(folder, name) for name in names if name.endswith(".py")]
        missing = [path for path in sources if not os.path.exists(cache_from_source(path))]
        if missing:
            import py_compile

            for path in missing:
                try:
                    py_compile.compile(path, doraise=True)
                except (OSError, py_compile.PyCompileError):
                    return  # it is compiled when it is imported


def _mark():
    """Leave a file next to the agent's socket: a process of this run has imported a framework."""
    path = os.environ.get("VIGIL_SOCKET")
    if path and os.path.exists(path):
        try:
            os.close(os.open(path + ".imported", os.O_WRONLY | os.O_CREAT, 0o600))
        except OSError:
            pass


_LACKED = {"torch": "PyTorch", "xgboost": "XGBoost"}


@_guard.guard
def _lacks(name):
    """A framework is not installed for this Python: where that ends the process, say so."""
    if name in _lacking:
        return
    _lacking.add(name)
    from vigil import _ending, _why_not_trained

    def ends():
        error = _ending.error()
        return isinstance(error, ImportError) and getattr(error, "name", None) == name

    _why_not_trained.watch(lambda: not ends(), lambda: "%s is not installed for %s" % (_LACKED[name], sys.executable), lacks=True)


class Finder(object):
    """Sees the import of a framework and lends its loader a second step. All other imports pass."""

    def __init__(self):
        self.busy = False

    def find_spec(self, name, path=None, target=None):
        try:
            if name not in HOOKS or self.busy or name in _installed:
                return None
            return self._find(name, path, target)
        except Exception:
            return None

    def _find(self, name, path, target):
        self.busy = True
        try:
            for finder in list(sys.meta_path):
                find = getattr(finder, "find_spec", None)
                if finder is self or find is None:
                    continue
                spec = find(name, path, target)
                if spec is not None:
                    if hasattr(spec.loader, "exec_module") and hasattr(spec.loader, "create_module"):
                        spec.loader = Loader(spec.loader, name)
                    return spec
            _lacks(name)
            return None
        except Exception:
            return None  # the import goes on without us, and meets the same error if it was not ours
        finally:
            self.busy = False


class Loader(object):
    """The framework's own loader; when it has executed the module, the hook is installed.

    It leaves no trace: the module gets its own loader back before it runs.
    """

    def __init__(self, loader, name):
        self._loader = loader
        self._name = name

    def __getattr__(self, attribute):
        return getattr(self._loader, attribute)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        # These three lines cannot fail but where the framework itself does.
        self._restore(module)
        self._loader.exec_module(module)
        _install(self._name)

    @_guard.guard
    def _restore(self, module):
        spec = getattr(module, "__spec__", None)
        if spec is not None and spec.loader is self:
            spec.loader = self._loader
        if getattr(module, "__loader__", None) is self:
            module.__loader__ = self._loader
