"""What the hooks that a script makes have in common: modes, collections, numbers, and the settings of a run of their own."""

import enum
import os

from vigil import _guard


class modes(enum.Enum):
    """The phases a step can belong to; ``set_mode`` takes these or their names in any case."""

    TRAIN = 0
    EVAL = 1
    PREDICT = 2
    GLOBAL = 3


class Handle(object):
    """Passes the script's calls on to the Tracker of its framework; without one (Vigil is off) they do nothing."""

    _tracker = None

    @property
    def active(self):
        """Whether capture can take place: False when Vigil is off."""
        return self._tracker is not None and not _guard.inert

    @_guard.guard
    def save_scalar(self, name, value, sm_metric=False, timestamp=None):
        """Record one number at the current step and mode; the tensor is called ``scalar/<name>``.

        Between steps it belongs to the step that has just completed. The name
        ``loss`` is the series ``loss`` itself, where the step shows no loss: the
        way to give a validation loss that nothing else shows. sm_metric and
        timestamp are taken as SageMaker Debugger's scripts give them; the number
        is recorded with them and without them alike.
        """
        if self._tracker is not None:
            self._tracker.save_scalar(name, value)

    @_guard.guard
    def save_tensor(self, name, value, collections=None, collections_to_write=None):
        """Keep a tensor's values at the current step, whatever the plan says; between steps, at the one that has just completed.

        value: a tensor or array, or what makes one. collections (or
        collections_to_write): names of collections it shall belong to. Where there is no room the call
        waits, at most a tenth of a second, for a tensor larger than the ring at
        most a second for each piece; then the tensor is dropped and counted.
        """
        if self._tracker is not None:
            self._tracker.save_tensor(name, value, collections if collections_to_write is None else collections_to_write)

    @_guard.guard
    def set_mode(self, mode):
        """Say what follows: "train", "eval", "predict", "global", a member of ``modes``, or None for by itself."""
        if self._tracker is not None:
            self._tracker.set_mode(mode_number(mode))

    @_guard.guard
    def collection(self, name, regex=None, names=None, every=None, start=None, end=None, steps=None, mode=None, raw=False, hist=False,
                   median=False, prod=False):  # fmt: skip
        """A group of tensors with a schedule: those whose name matches ``regex`` (re.search) or is in ``names``.

        every, start, end and steps say at which steps of ``mode`` (one or several,
        default: all modes) they are captured; with end=0 at none. raw keeps their
        values, hist their histograms, median and prod their median and product.
        """
        if self._tracker is not None:
            fields = dict(name=name, regex=_list(regex), names=_list(names), every=_whole(every), start=_whole(start), end=_whole(end),
                          steps=_steps(steps), mode=_mode_names(mode), raw=bool(raw), hist=bool(hist), median=bool(median), prod=bool(prod))  # fmt: skip
            if fields["end"] == 0:
                fields["off"] = True
            self._tracker.collection({k: v for k, v in fields.items() if v is not None and v is not False})

    def _collections(self, collections):
        """Define the collections that a constructor was given: names, or dicts as ``collection`` takes them."""
        for one in [collections] if isinstance(collections, (str, dict)) else collections:
            if isinstance(one, dict):
                self.collection(**one)
            else:
                self.collection(one)

    @_guard.guard
    def close(self):
        """Finish: the last step is closed and nothing more is captured. Done at exit by itself."""
        if self._tracker is not None:
            self._tracker.close()

    # A model that has its hook as an attribute is copied and stored with it.

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return object.__new__, (type(self),)  # inactive

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def off():
    """Whether VIGIL=0 makes everything inert."""
    return os.environ.get("VIGIL") == "0"


def settings(every=None, budget=None, rules=None, save_all=False, include_workers=None):
    """Leave the settings of a run of our own where its agent, our child, reads them; under ``vigil run`` its flags decide."""
    if os.environ.get("VIGIL_SOCKET"):
        return
    wanted = (("EVERY", every), ("BUDGET", _percent(budget)), ("RULES", rules), ("WORKERS", "all" if include_workers == "all" else None),
              ("SAVE_ALL", "1" if save_all else None))  # fmt: skip
    for key, value in wanted:
        if value is not None:
            os.environ.setdefault("VIGIL_" + key, str(value))


def _percent(budget):
    if budget is None or isinstance(budget, str):
        return budget
    return "%g%%" % (100.0 * budget)


def _list(texts):
    """One text or several as a list; None stays None."""
    if texts is None:
        return None
    return [texts] if isinstance(texts, str) else [str(text) for text in texts]


def _whole(number):
    return None if number is None else int(number)


def _steps(steps):
    """Numbers of steps: one, several, or text as in ``steps=1/5/9``."""
    if steps is None:
        return None
    if isinstance(steps, str):
        steps = steps.replace("/", " ").replace(",", " ").split()
    return [int(n) for n in steps] if hasattr(steps, "__iter__") else [int(steps)]


def _mode_names(mode):
    """Modes as the message for a collection names them: "TRAIN/EVAL". What is no mode goes along, for the agent to refuse."""
    if mode is None:
        return None
    several = mode if isinstance(mode, (tuple, list, set, frozenset)) else [mode]
    return "/".join(modes(one).name if isinstance(one, int) else str(getattr(one, "name", one)) for one in several)


def mode_number(mode):
    """The number of a mode given as text, number, or member of any enumeration with these names; None stays None."""
    if mode is None:
        return None
    text = getattr(mode, "name", mode)
    if isinstance(text, str):
        try:
            return modes[text.upper()].value
        except KeyError:
            raise ValueError("set mode: %r is not a mode; known are train, eval, predict, global" % text) from None
    return modes(int(text)).value
