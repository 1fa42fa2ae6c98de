"""The PyTorch hook.

``install`` is all that others call. It is called once per process, after
``import torch`` has finished: by the boot's import hook under ``vigil run``,
else by ``vigil.torch.Hook``. It only registers extension points; a process
connects to the agent when it has made its first update of weights, so what does
not train stays silent.
"""

_tracker = None


def install(start=False, dir=None, name=None):
    """Watch the training of this process; returns the Tracker, the same one every time.

    start: start an agent when none is named in the environment (the script
    asked for Vigil itself); dir and name say where its run goes.
    """
    global _tracker
    if _tracker is None:
        from vigil._torch import provenance
        from vigil._torch.tracker import Tracker

        provenance.imported()
        _tracker = Tracker()
        _tracker.install()
    if start:
        _tracker.starts(dir, name)
    return _tracker


def current():
    """The Tracker of this process, or None when nothing was installed."""
    return _tracker
