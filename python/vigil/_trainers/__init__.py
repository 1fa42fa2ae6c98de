"""Callbacks for trainers that run the loop themselves. Each file imports its framework; the public modules import them when they are asked."""

import importlib
import os


def lazily(module, packages, file):
    """A module's ``__getattr__``: ``VigilCallback`` out of ``file``, made when it is first asked for.

    packages: those of which one is needed; ImportError says in one line which, where none is installed.
    """

    def get(name):
        if name != "VigilCallback":
            raise AttributeError("module %r has no attribute %r" % (module, name))
        try:
            return importlib.import_module(file).VigilCallback
        except ImportError as e:
            if not any((getattr(e, "name", None) or "").startswith(p) for p in packages):
                raise
            raise ImportError("%s.VigilCallback needs %s, which is not installed: pip install %s" % (module, packages[0], packages[0])) from None

    return get


class Control(object):
    """What the callbacks share: they hold a ``vigil.torch.Hook`` and give it what their trainer says.

    close: whether the capture ends with the training. By default it does where
    the callback started the run itself; under ``vigil run`` it ends with the
    process.
    """

    def __init__(self, close=None, **settings):
        super().__init__()
        self.__setstate__((close, settings))

    # A trainer may copy its callbacks, or send them to other processes.

    def __deepcopy__(self, memo):
        return self

    def __getstate__(self):
        return self.close, self.settings

    def __setstate__(self, state):
        import vigil.torch

        self.close, self.settings = state
        self.hook = vigil.torch.Hook(**self.settings)
        self.ends = not os.environ.get("VIGIL_SOCKET") if self.close is None else self.close

    def metrics(self, values):
        """Numbers that the trainer logged; the loss is in the run already."""
        import vigil

        out = {}
        for name, value in values.items():
            if name != "loss":
                try:
                    out[name] = float(value)
                except (TypeError, ValueError):
                    pass  # a text, or several numbers
        if out and self.hook.active:
            vigil.log(out)

    def ends_at(self, updates):
        """The training ends after so many updates; None, -1 or infinity where that is not known."""
        if self.hook.active:
            self.hook._tracker.epochs.ends_at(updates)

    def evaluated(self, loss):
        """An evaluation is over, with this loss."""
        if self.hook.active and loss is not None:
            self.hook._tracker.evaluated(float(loss))

    def done(self):
        """The training is over."""
        if self.ends:
            self.hook.close()
