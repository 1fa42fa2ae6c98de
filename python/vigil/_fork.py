"""What happens in a forked child: nothing of the parent's goes on there.

The child shares the parent's ring and socket and must touch neither. It starts
clean: if it trains, its hook connects on its own, as another process.
"""

import os

_callbacks = []
_registered = False


def on_child(callback):
    """Call callback() in every forked child, in the order of registration. Callbacks stay for the process's life."""
    global _registered
    _callbacks.append(callback)
    if not _registered and hasattr(os, "register_at_fork"):
        _registered = True
        os.register_at_fork(after_in_child=_child)


def _child():
    for callback in list(_callbacks):
        try:
            callback()
        except Exception:
            pass  # fork must not fail because of us; the callback's object stays unused
