"""What happens in a forked child: nothing of the parent's goes on there.

The child shares the parent's ring and socket and must touch neither. It starts
clean: if it trains, its hook connects on its own, as another process.
"""

import functools
import os

_before, _parent, _children = [], [], []
_registered = False


def on_fork(before=None, parent=None, child=None):
    """Call before() ahead of every fork, parent() after it in the parent and child() in the child.

    They stay for the process's life, and must not raise.
    """
    global _registered
    for callback, to in ((before, _before), (parent, _parent), (child, _children)):
        if callback is not None:
            to.append(callback)
    if not _registered and hasattr(os, "register_at_fork"):
        _registered = True
        run = [functools.partial(_run, callbacks) for callbacks in (_before, _parent, _children)]
        os.register_at_fork(before=run[0], after_in_parent=run[1], after_in_child=run[2])


def on_child(callback):
    """Call callback() in every forked child, in the order of registration."""
    on_fork(child=callback)


def _run(callbacks):
    try:
        for callback in list(callbacks):
            try:
                callback()
            except Exception:
                pass  # a fork must not fail because of us, nor may one callback keep the next from its turn
    except Exception:
        pass
