"""Started by Python itself in every process below ``vigil run``.

Does two things: runs the sitecustomize that this one hides, and lets Vigil wait
for a training framework to be imported. It must be parsed by every Python there
is, must never print a traceback of its own, and is inert outside a run.
"""

import os
import sys


def _vigil_chain(here):
    """Run the sitecustomize that would have run without us.

    What it raises goes to Python, which reports it as it always does. A run
    inside a run has two of ours on the path; each passes on what it has seen.
    """
    seen = getattr(sys, "_vigil_boots", ()) + (here,)
    sys._vigil_boots = seen

    def ours(path):
        try:
            return os.path.realpath(path or os.curdir) in seen
        except Exception:
            return False

    paths = [p for p in sys.path if not ours(p)]
    name = "sitecustomize"
    if sys.version_info[0] == 2:
        import imp

        try:
            found = imp.find_module(name, paths)
        except ImportError:
            return
        # Python 2 clears the globals of a module that nobody holds.
        sys._vigil_sitecustomize = sys.modules.pop(name, None)
        try:
            imp.load_module(name, *found)
        finally:
            if found[0]:
                found[0].close()
        return
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec(name, paths)
    if spec is None or spec.loader is None:
        return
    from importlib.util import module_from_spec

    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


class _VigilTooOld(object):
    """Says, when a framework is imported, why nothing is captured."""

    def find_spec(self, name, path=None, target=None):
        if name == "torch" and self in sys.meta_path:
            sys.meta_path.remove(self)
            from importlib.machinery import PathFinder

            if PathFinder.find_spec(name) is not None:
                self.say()
        return None

    def find_module(self, name, path=None):
        if name == "torch" and self in sys.meta_path:
            sys.meta_path.remove(self)
            import imp

            try:
                found = imp.find_module(name)
            except ImportError:
                return None
            if found[0]:
                found[0].close()
            self.say()
        return None

    def say(self):
        try:
            open(os.environ["VIGIL_SOCKET"] + ".imported", "a").close()
        except Exception:
            pass
        sys.stderr.write("vigil: nothing is captured: Python %d.%d is too old, 3.8 or later is needed\n" % sys.version_info[:2])


def _vigil_start():
    try:
        if not os.environ.get("VIGIL_SOCKET") or os.environ.get("VIGIL") == "0":
            return
        if sys.version_info < (3, 8):
            sys.meta_path.insert(0, _VigilTooOld())
            return
        from vigil import _boot

        _boot.start()
    except Exception:
        if os.environ.get("VIGIL_STRICT") == "1":
            raise


try:
    _vigil_chain(os.path.dirname(os.path.realpath(__file__)))
finally:
    _vigil_start()
