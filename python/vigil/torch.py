"""Control over capture from a PyTorch script: ``import vigil.torch as vg``.

    hook = vg.Hook()                      # optional: everything below has a default
    hook.register_module(model)           # names start with this module's class
    hook.save_scalar("accuracy", 0.9)
    hook.set_mode("eval")

Nothing of this is needed under ``vigil run``: model, optimiser and loss are
found by themselves. Without ``vigil run`` the hook starts the agent itself.
With ``VIGIL=0`` all of it does nothing.
"""

import enum
import os

from vigil import _guard

__all__ = ["Hook", "modes"]


class modes(enum.Enum):
    """The phases a step can belong to; ``set_mode`` takes these or their names in any case."""

    TRAIN = 0
    EVAL = 1
    PREDICT = 2
    GLOBAL = 3


class Hook(object):
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
        self._tracker = None
        if os.environ.get("VIGIL") == "0":
            return
        self._open(dir or out_dir, name, collections, every, budget, rules, save_all, include_workers)

    @_guard.guard
    def _open(self, dir, name, collections, every, budget, rules, save_all, include_workers):
        if not os.environ.get("VIGIL_SOCKET"):
            # The agent is our child and reads its settings from the environment.
            wanted = (("EVERY", every), ("BUDGET", _percent(budget)), ("RULES", rules), ("WORKERS", include_workers),
                      ("SAVE_ALL", "1" if save_all else None))  # fmt: skip
            for key, value in wanted:
                if value is not None:
                    os.environ.setdefault("VIGIL_" + key, str(value))
        from vigil import _torch

        self._tracker = _torch.install(start=True, dir=dir, name=name)
        for one in [collections] if isinstance(collections, (str, dict)) else collections:
            if isinstance(one, dict):
                self.collection(**one)
            else:
                self.collection(one)

    @property
    def active(self):
        """Whether capture can take place: False when Vigil is off."""
        return self._tracker is not None and not _guard.inert

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

    @_guard.guard
    def save_scalar(self, name, value):
        """Record one number at the current step and mode; the tensor is called ``scalar/<name>``.

        The name ``loss`` is the series ``loss`` itself: the way to give a
        validation loss that nothing else shows.
        """
        if self._tracker is not None:
            self._tracker.save_scalar(name, value)

    @_guard.guard
    def save_tensor(self, name, value, collections=None):
        """Keep a tensor's values at the current step, whatever the plan says.

        value: a tensor, or what ``torch.as_tensor`` understands. collections:
        names of collections it shall belong to. Where there is no room the call
        waits, at most a tenth of a second, for a tensor larger than the ring at
        most a second for each piece; then the tensor is dropped and counted.
        """
        if self._tracker is not None:
            self._tracker.save_tensor(name, value, collections)

    @_guard.guard
    def set_mode(self, mode):
        """Say what follows: "train", "eval", "predict", "global", a member of ``modes``, or None for by itself."""
        if self._tracker is not None:
            self._tracker.set_mode(_mode(mode))

    @_guard.guard
    def collection(self, name, regex=None, names=None, every=None, start=None, end=None, steps=None, mode=None, raw=False, hist=False):
        """A group of tensors with a schedule: those whose name matches ``regex`` (re.search) or stands in ``names``.

        every, start, end and steps say at which steps of ``mode`` (default: all
        modes) they are captured; raw keeps their values, hist their histograms.
        """
        if self._tracker is not None:
            fields = dict(name=name, regex=regex, names=names, every=every, start=start, end=end, steps=steps, mode=mode, raw=raw, hist=hist)
            self._tracker.collection({k: v for k, v in fields.items() if v is not None and v is not False})

    @_guard.guard
    def close(self):
        """Finish: the last step is closed and nothing more is captured. Done at exit by itself."""
        if self._tracker is not None:
            self._tracker.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def _percent(budget):
    if budget is None or isinstance(budget, str):
        return budget
    return "%g%%" % (100.0 * budget)


def _mode(mode):
    """The number of a mode given as text, number, or member of any enumeration with these names; None stays None."""
    if mode is None:
        return None
    text = getattr(mode, "name", mode)
    if isinstance(text, str):
        try:
            return modes[text.upper()].value
        except KeyError:
            raise ValueError("set mode: %r is none of train, eval, predict, global" % text)
    return modes(int(text)).value
