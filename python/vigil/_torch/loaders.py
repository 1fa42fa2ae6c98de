"""The DataLoaders that the script goes through: their passes, and how long it waits for their batches.

``DataLoader.__iter__`` is wrapped. The iterator that it gives stays what it is;
its class is one derived from its own, whose ``__next__`` leaves marks.
"""

import functools
import threading
import weakref

import torch

from vigil import _guard, _marks
from vigil._torch import passes

_MARK = "_vigil_wrapped"
_AFTER = "_vigil_after"  # on the class of an iterator before its first batch: the class that it has then
MOST = 64  # loaders whose settings are told
_DEEP, _WIDE = 4, 256  # how far into a batch its tensors are counted

_thread = threading.get_ident


def watch(tracker):
    """Leave marks in tracker.marks, and where facts are read note every loader in tracker.loaders and its passes in tracker.passes."""
    kind = torch.utils.data.DataLoader
    original = kind.__iter__
    if getattr(original, _MARK, False):
        return
    marks = tracker.marks
    waits = Waits(marks, tracker.passes)
    seen, begins = [_guard.guard(told if tracker.looks else _nothing) for told in (tracker.loaders.add, tracker.passes.begins)]
    iterates = _guard.guard(tracker.passes.iterates)
    asks, gives = _guard.guard(marks.begins), _guard.guard(marks.ends)
    measured = _guard.guard(waits.measured)

    @functools.wraps(original)
    def iterate(self):
        seen(self)
        one = begins(self)
        asked = marks.now()
        asks(_marks.DATA)
        try:
            iterator = original(self)
        finally:
            gives(_marks.DATA)
        measured(self, iterator, asked)
        if one is not None:
            iterates(iterator, one)
        return iterator

    setattr(iterate, _MARK, True)
    kind.__iter__ = iterate


def _nothing(loader):
    """Facts are not read."""


class Waits(object):
    """Measures how long iterators of loaders are waited for."""

    def __init__(self, marks, followed):
        self.marks = marks
        self.asked, self.stops = _guard.guard(followed.asked), _guard.guard(followed.stops)
        self.kinds = {}  # class of an iterator -> the class that measures too
        self.told = []  # weak references to the loaders whose settings are told, by number

    def measured(self, loader, iterator, asked):
        """Have the waits for what this iterator gives measured."""
        kind = type(iterator)
        kind = getattr(kind, _AFTER, kind)
        if kind not in self.kinds:
            if not isinstance(iterator, torch.utils.data.dataloader._BaseDataLoaderIter):
                return
            derived = self.kinds[kind] = self._derived(kind)
            self.kinds[derived] = derived
        kind = iterator.__class__ = self.kinds[kind]
        number = self._number(loader)
        if number is None:
            if len(self.told) < MOST:
                self.told.append(weakref.ref(loader))
                iterator.__class__ = self._first(kind, len(self.told) - 1, settings(loader), asked)
        elif loader.num_workers:  # which may have been started for this pass
            iterator.__class__ = self._first(kind, number, None, asked)

    def _number(self, loader):
        """What the loader was told as, None when it is new."""
        for number, ref in enumerate(self.told):
            if ref() is loader:
                return number
        return None

    def _derived(self, kind):
        next_, marks = kind.__next__, self.marks
        put, now, zero, thread = marks.put, marks.now, marks.zero, _thread
        begins, ends, noted = _marks.DATA, _marks.DATA | _marks.END, marks.noted
        asked, stops = self.asked, self.stops

        def take(self):
            one = self._vigil_pass
            try:
                batch = next_(self)
            except StopIteration:
                if one is not None:
                    stops(one)
                raise
            if one is not None:
                asked(one)
            return batch

        def __next__(self):
            if thread() != marks.thread:
                return take(self)
            put((now() - zero) << 8 | begins)
            if marks.device is not None:
                noted()
            try:
                return take(self)
            finally:
                put((now() - zero) << 8 | ends)
                if marks.device is not None:
                    noted()
                marks.trim()

        derived = _named(kind, functools.wraps(next_)(__next__))
        setattr(derived, passes.MARK, None)
        return derived

    def _first(self, kind, number, facts, asked):
        """The class of an iterator whose first batch is looked at. facts: of a loader that is new, else None."""
        next_ = kind.__next__
        tell = _guard.guard(self._tell)

        def __next__(self):
            self.__class__ = kind
            batch = next_(self)
            tell(number, facts, batch, asked)
            return batch

        first = _named(kind, functools.wraps(next_)(__next__))
        setattr(first, _AFTER, kind)
        return first

    def _tell(self, number, facts, batch, asked):
        if _thread() == self.marks.thread:
            if facts is not None:
                size = batch_bytes(batch, _DEEP)
                self.marks.tell(number, facts if size is None else dict(facts, batch_bytes=size))
            self.marks.loader(number, asked)


def _named(kind, next_):
    """A class like ``kind`` with this __next__."""
    names = {name: kind.__dict__[name] for name in ("__module__", "__qualname__", "__doc__") if name in kind.__dict__}
    names["__qualname__"] = kind.__qualname__
    return type(kind.__name__, (kind,), dict(names, __next__=next_))


def settings(loader):
    """What a loader was told."""
    sampler = getattr(loader, "batch_sampler", None)
    context = getattr(loader, "multiprocessing_context", None)
    out = {
        "workers": loader.num_workers,
        "prefetch": getattr(loader, "prefetch_factor", None) if loader.num_workers else None,
        "pin_memory": bool(loader.pin_memory),
        "persistent_workers": bool(getattr(loader, "persistent_workers", False)),
        "batch_size": loader.batch_size or getattr(sampler, "batch_size", None),
        "start_method": context.get_start_method() if loader.num_workers and context is not None else None,
    }
    return {key: value for key, value in out.items() if isinstance(value, (int, str))}


def batch_bytes(batch, deep):
    """Bytes of the tensors in a batch; None when there is none."""
    if isinstance(batch, torch.Tensor):
        return batch.numel() * batch.element_size()
    items = batch.values() if isinstance(batch, dict) else batch if isinstance(batch, (list, tuple)) else ()
    if not deep or len(items) > _WIDE:
        return None
    sizes = [size for size in (batch_bytes(item, deep - 1) for item in items) if size is not None]
    return sum(sizes) if sizes else None
