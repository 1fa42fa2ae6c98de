"""Control over capture from a PyTorch script: ``import vigil.torch as vg``.

    hook = vg.Hook()                      # optional: everything below has a default
    hook.register_module(model)           # names start with this module's class
    hook.save_scalar("accuracy", 0.9)
    hook.set_mode("eval")

Nothing of this is needed under ``vigil run``: model, optimiser and loss are
found by themselves. Without ``vigil run`` the hook starts the agent itself.
With ``VIGIL=0`` all of it does nothing.
"""

import sys

from vigil import _guard, _hook_base
from vigil._hook_base import modes

__all__ = ["Hook", "modes"]


class Hook(_hook_base.Handle):
    """The hook of this process; making several gives handles to the same one.

    dir: root of the runs (default ``vigil-runs``); out_dir is another name for
    it. name: the run's name. collections: names or dicts as ``collection``
    takes them. every: interval in steps of the statistics (default: what holds
    the budget). budget: most that capture may add to the step time, as a share
    (0.02) or text ("2%"). rules: "default", "all" or "none". save_all: keep
    every tensor's values. include_workers: "all" for statistics of every rank.

    dir, name, every, budget, rules, save_all and include_workers describe the
    run as a whole: under ``vigil run`` its flags decide, and these are ignored.
    """

    def __init__(self, dir=None, name=None, collections=(), every=None, budget=None, rules=None,
                 save_all=False, include_workers=None, out_dir=None):  # fmt: skip
        if _hook_base.off():
            return
        self._open(dir or out_dir, name, collections, every, budget, rules, save_all, include_workers)

    @_guard.guard
    def _open(self, dir, name, collections, every, budget, rules, save_all, include_workers):
        _hook_base.settings(every, budget, rules, save_all, include_workers)
        from vigil import _torch

        self._tracker = _torch.install(start=True, dir=dir, name=name)
        if self._tracker.closed:
            sys.stderr.write("vigil: nothing is captured: the hook of this process was closed, and a process makes one run; start it again (in a notebook: restart the kernel)\n")
            return
        self._collections(collections)

    @_guard.guard
    def register_module(self, module):
        """Take ``module`` as a root: it opens steps, and names start with its class name."""
        if self._tracker is not None:
            self._tracker.register_module(module)

    @_guard.guard
    def register_loss(self, criterion):
        """Take the outputs of the module ``criterion`` as losses, in every mode."""
        if self._tracker is not None:
            self._tracker.register_loss(criterion)
