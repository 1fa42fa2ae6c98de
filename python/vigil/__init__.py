"""Vigil watches machine-learning training.

Importing this package costs next to nothing: everything that needs more than a
few lines is imported when it is first used. ``import vigil.torch as vg`` gives
the PyTorch hook, ``vigil.xgboost`` that of XGBoost, ``vigil.huggingface`` and ``vigil.lightning`` callbacks for
trainers; ``vigil.log({"accuracy": 0.9})`` and ``vigil.save_tensor`` record what any script gives, ``vigil.config`` what it was set to.
"""

from vigil._version import __version__

__all__ = ["config", "log", "save_tensor", "ui", "__version__"]

# The training hook whose step and mode logged values bind to, or None. A hook
# puts itself here with vigil._log.register and offers log(values, step).
_current = None
_logging = None  # vigil._log, once something is logged


def log(values, step=None):
    """Record numbers of the script: ``vigil.log({"accuracy": 0.9})``.

    While a training hook is active the values belong to its current step and
    mode, between steps to the step that has just completed; with ``step`` they
    can be read under the script's own count, too (mode GLOBAL). Without a hook
    they belong to ``step`` of mode GLOBAL: a call with a new step closes the
    previous one, and without ``step`` a new step begins when a name comes again.
    The name ``loss`` is a loss, which rules judge. Values are numbers or anything with one element that
    ``float`` understands. The numbers of one call travel together, so many
    in one dict take little more time than one (a hundred some 10 µs in a
    script without a hook). Nothing happens when Vigil is off, and an error in
    here never reaches the caller.
    """
    try:
        _logger().log(values, step)
    except Exception:
        from vigil import _guard

        if _guard.strict:
            raise


def save_tensor(name, value, collections=None, step=None):
    """Keep the values of a tensor or an array (NumPy's, a list): ``vigil.save_tensor("weights", w)``.

    It belongs to the same step as numbers that ``log`` is given. collections:
    names of collections it shall belong to.
    """
    try:
        _logger().save_tensor(name, value, collections, step)
    except Exception:
        from vigil import _guard

        if _guard.strict:
            raise


def config(values):
    """Store with the run what the script was set to: ``vigil.config({"lr": 0.1, "model": {"depth": 12}})``.

    values: a dict, which may hold dicts and lists, or anything with attributes, as argparse gives it.
    Several calls add up. What is no number, text or truth value is stored as its text. The value of a name with KEY, TOKEN,
    SECRET or PASSWORD in it is not stored. Nothing happens when Vigil is off, and an error in here never
    reaches the caller.
    """
    try:
        from vigil import _provenance

        said = _provenance.config(values)
        if said:
            from vigil import _session

            session = _session.current()
            if session is not None:
                session.provenance({"config": said})
    except Exception:
        from vigil import _guard

        if _guard.strict:
            raise


def ui(root=None, run=None, page=None, height=720, notebook=None):
    """Show the dashboard of a folder of runs in an output cell: ``vigil.ui()`` as a cell's last line.

    root: the folder, by default that of the command `vigil ui`. run: a run to open. page: a page of it, such as
    ``"curves"``. height: of the frame, in pixels. notebook: the beginning of the address that the browser shows for
    the notebook, such as ``"https://hub.example.org"``, where the kernel cannot know it.

    What it gives prints as an address where no notebook shows it. The dashboard ends with the kernel, or with
    ``close()``. Nothing is raised: what does not work is said in its place.
    """
    from vigil import _ui

    return _ui.Dashboard(root, run, page, height, notebook)


def _logger():
    global _logging
    if _logging is None:
        from vigil import _log

        _logging = _log
    return _logging


def __getattr__(name):
    """``vigil.torch`` and its like without importing them before."""
    if name in ("torch", "xgboost", "huggingface", "lightning"):
        import importlib

        return importlib.import_module("vigil." + name)
    raise AttributeError("module 'vigil' has no attribute %r" % name)
